import { xml, zip } from './archives.mjs';
import { austen, goethe, melville } from './passages.mjs';

/** OpenDocument texts and books. */
export function openFiles() {
  return {
    'letter.odt': odt(),
    'password.odt': odt({ encrypted: true }),
    'whale.epub': epub(),
    'locked.epub': epub({ locked: true }),
  };
}

function odt({ encrypted = false } = {}) {
  const names =
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"';
  const cell = (text) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
  const key = encrypted ? '<manifest:encryption-data/>' : '';
  return zip({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'META-INF/manifest.xml': xml(
      `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml">${key}</manifest:file-entry></manifest:manifest>`,
    ),
    'meta.xml': xml(
      `<office:document-meta ${names}><office:meta><dc:title>A letter</dc:title><dc:creator>J. W. Goethe</dc:creator><dc:language>de-DE</dc:language></office:meta></office:document-meta>`,
    ),
    'content.xml': xml(
      `<office:document-content ${names}><office:body><office:text><text:tracked-changes><text:p>Deleted words</text:p></text:tracked-changes><text:h text:outline-level="1">A letter</text:h><text:p>${goethe}<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Faust, 1808</text:p></text:note-body></text:note></text:p><text:h text:outline-level="2">Studies</text:h><text:list><text:list-item><text:p>Philosophie</text:p><text:list><text:list-item><text:p>Logik</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>Medizin</text:p></text:list-item></text:list><table:table><table:table-row>${cell('Subject')}${cell('Years')}</table:table-row><table:table-row>${cell('Law')}${cell('3')}</table:table-row></table:table><text:section><text:p>One<text:s text:c="2"/>two<text:line-break/>three<text:tab/>four.</text:p></text:section></office:text></office:body></office:document-content>`,
    ),
  });
}

function epub({ locked = false } = {}) {
  const chapter = (title, text) =>
    `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>`;
  return zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': xml(
      '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    ),
    ...(locked
      ? {
          'META-INF/encryption.xml': xml(
            '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData><CipherData><CipherReference URI="OEBPS/loomings%20one.xhtml"/></CipherData></EncryptedData></encryption>',
          ),
        }
      : {}),
    'OEBPS/book.opf': xml(
      '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Moby-Dick</dc:title><dc:creator>Herman Melville</dc:creator><dc:language>en</dc:language></metadata><manifest><item id="two" href="truth.xhtml" media-type="application/xhtml+xml"/><item id="one" href="loomings%20one.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="one"/><itemref idref="two"/></spine></package>',
    ),
    'OEBPS/loomings one.xhtml': chapter('Loomings', melville),
    'OEBPS/truth.xhtml': chapter('A truth', austen),
  });
}
