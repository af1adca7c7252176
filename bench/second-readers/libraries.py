"""Reads files with Python libraries. Takes one path per line of stdin, and prints one line of JSON for each."""

import email
import email.policy
import json
import sys
import zipfile
from html.parser import HTMLParser

import docx
import openpyxl
import pptx

NOT_TEXT = {"script", "style", "template", "noscript"}
NO_END = {"br", "hr", "img", "input", "link", "meta", "wbr"}


class VisibleText(HTMLParser):
    def __init__(self):
        super().__init__()
        self.parts = []
        self.skipped = 0

    def handle_starttag(self, tag, attrs):
        if tag in NOT_TEXT:
            self.skipped += 1
        elif tag not in NO_END:
            self.parts.append(" ")

    def handle_endtag(self, tag):
        if tag in NOT_TEXT and self.skipped > 0:
            self.skipped -= 1
        self.parts.append(" ")

    def handle_data(self, data):
        if self.skipped == 0:
            self.parts.append(data)


def html_text(source):
    parser = VisibleText()
    parser.feed(source)
    return "".join(parser.parts)


def read_docx(path):
    return "\n".join(
        text.text or "" for text in docx.Document(path).element.body.iter("{*}t") if text.tag.endswith("}t")
    )


def read_xlsx(path):
    book = openpyxl.load_workbook(path, data_only=True)
    rows = (row for sheet in book.worksheets for row in sheet.iter_rows(values_only=True))
    return "\n".join(" ".join(value for value in row if isinstance(value, str)) for row in rows)


def shape_texts(shapes):
    for shape in shapes:
        if shape.has_text_frame:
            yield shape.text_frame.text
        if getattr(shape, "has_table", False):
            yield from (cell.text for row in shape.table.rows for cell in row.cells)
        if shape.shape_type == pptx.enum.shapes.MSO_SHAPE_TYPE.GROUP:
            yield from shape_texts(shape.shapes)


def read_pptx(path):
    return "\n".join(text for slide in pptx.Presentation(path).slides for text in shape_texts(slide.shapes))


def read_html(path):
    with open(path, encoding="utf-8") as file:
        return html_text(file.read())


def read_epub(path):
    with zipfile.ZipFile(path) as book:
        pages = [name for name in book.namelist() if name.endswith((".xhtml", ".html", ".htm"))]
        return "\n".join(html_text(book.read(name).decode("utf-8")) for name in pages)


def read_eml(path):
    with open(path, "rb") as file:
        message = email.message_from_binary_file(file, policy=email.policy.default)
    body = message.get_body(("plain", "html"))
    content = "" if body is None else body.get_content()
    is_html = body is not None and body.get_content_type() == "text/html"
    return f"{message['subject'] or ''}\n{html_text(content) if is_html else content}"


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


READERS = {
    "docx": read_docx,
    "xlsx": read_xlsx,
    "pptx": read_pptx,
    "html": read_html,
    "htm": read_html,
    "epub": read_epub,
    "eml": read_eml,
    "txt": read_text,
    "csv": read_text,
}

for line in sys.stdin:
    path = line.rstrip("\n")
    try:
        text = READERS[path.rsplit(".", 1)[-1].lower()](path)
    except Exception as error:  # a file that this reader cannot read is not compared
        print(json.dumps({"path": path, "error": f"{type(error).__name__}: {error}"}), flush=True)
    else:
        print(json.dumps({"path": path, "text": text}), flush=True)
