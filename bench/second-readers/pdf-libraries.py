"""Reads PDFs with the libraries that are installed. Takes one path per line of stdin, prints one line of JSON for each
library and path."""

import importlib.util
import json
import sys


def with_pypdf(path):
    import pypdf

    return "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages)


def with_pymupdf4llm(path):
    import pymupdf4llm

    return pymupdf4llm.to_markdown(path)


def with_liteparse(path):
    import liteparse

    return liteparse.LiteParse(ocr_enabled=False).parse(path).text


READERS = {"pypdf": with_pypdf, "pymupdf4llm": with_pymupdf4llm, "liteparse": with_liteparse}

paths = [line.rstrip("\n") for line in sys.stdin]
for reader, read in READERS.items():
    if importlib.util.find_spec(reader) is None:
        continue
    for path in paths:
        try:
            text = read(path)
        except Exception:  # a file that this library cannot read has no text
            text = ""
        print(json.dumps({"reader": reader, "path": path, "text": text}), flush=True)
