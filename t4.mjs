import 'reflect-metadata';
import zlib from 'node:zlib';
import { zipSync } from 'fflate';
import * as A from './test/documents/generate/archives.mjs';
const { DocumentReader } = await import('./dist/parsing/document-reader.js');
const { readSettings } = await import('./dist/config/read-settings.js');
const r=new DocumentReader(readSettings({}));
const utf8=s=>new TextEncoder().encode(s);
async function go(name, bytes, hints={}) {
  const t=performance.now(); let peak=0; const iv=setInterval(()=>{peak=Math.max(peak,process.memoryUsage.rss())},50);
  let out; try { const d=await r.read(new Uint8Array(bytes),hints); out='OK '+d.document.contentType+' '+d.document.text.length+' pieces '+d.pieces.length; } catch(e){ out=e.name+': '+e.message.slice(0,160)+' | '+String(e.cause).slice(0,200).replace(/\n/g,' '); }
  clearInterval(iv); console.log(name, '|', out, '|', Math.round(performance.now()-t),'ms', Math.round(peak/1e6),'MB');
}
const only=process.argv[2];
const cases={
 deepHtml: ()=>utf8('<html><body>'+'<div>'.repeat(100000)+'x'),
 deepHtml2: ()=>utf8('<html><body>'+'<b><i>'.repeat(50000)+'x'),
 deepTable: ()=>utf8('<html><body>'+'<table><tr><td>'.repeat(3000)+'x'),
 deepXml: ()=>utf8('<?xml version="1.0"?>'+'<a>'.repeat(100000)),
 deepJson: ()=>utf8('['.repeat(200000)+']'.repeat(200000)),
 wideCsv: ()=>utf8(Array.from({length:20000},(_, i)=>'c'+i).join(',')+'\n'+'1,2\n'.repeat(20000)),
 quotesCsv: ()=>utf8('a,b\n"'+'x,y\n'.repeat(1000000)),
 mdHuge: ()=>utf8('#'.repeat(5e6)),
 spaces: ()=>utf8('a'+' '.repeat(50e6)+'b'),
 newlines: ()=>utf8('a'+'\n'.repeat(20e6)+'b'),
 pipes: ()=>utf8('|'.repeat(5e6)),
 combining: ()=>utf8('a'+'\u0301'.repeat(2e6)),
 thai: ()=>utf8('ภาษาไทยเป็นภาษาที่มีระดับเสียง'.repeat(30000)),
 base64: ()=>utf8(Buffer.alloc(3e6,7).toString('base64')),
 emlDeep: ()=>{ let m='Subject: x\r\nFrom: a@b\r\nTo: c@d\r\nMIME-Version: 1.0\r\n\r\nbody'; for(let i=0;i<200;i++) m=`Subject: s${i}\r\nFrom: a@b\r\nTo: c@d\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b${i}"\r\n\r\n--b${i}\r\nContent-Type: message/rfc822\r\nContent-Disposition: attachment; filename=a.eml\r\n\r\n${m}\r\n--b${i}--`; return utf8(m);},
 pdfBomb: ()=>{ const z=zlib.deflateSync(Buffer.alloc(1<<30,0x20)); const s=z.toString('latin1'); return Buffer.from(`%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>\nendobj\n4 0 obj\n<< /Filter /FlateDecode /Length ${z.length} >>\nstream\n${s}\nendstream\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF`,'latin1');},
 pdfPages: ()=>Buffer.from(`%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [2 0 R] /Count 1000000000 >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF`,'latin1'),
 pdfImage: ()=>{ const n=20000; const z=zlib.deflateSync(Buffer.alloc(n*n,0)); const c='q 600 0 0 700 0 0 cm /I Do Q'; return Buffer.from(`%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>\nendobj\n4 0 obj\n<< /Length ${c.length} >>\nstream\n${c}\nendstream\nendobj\n5 0 obj\n<< /Type /XObject /Subtype /Image /Width ${n} /Height ${n} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode /Length ${z.length} >>\nstream\n${z.toString('latin1')}\nendstream\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF`,'latin1');},
 xlsxFar: ()=>far(), 
 docxDeep: ()=>docx('<w:tbl><w:tr><w:tc>'.repeat(20000)),
 docxHuge: ()=>docx('<w:p><w:r><w:t>hello there world</w:t></w:r></w:p>'.repeat(1500000)),
};
function docx(body){ return A.zip({'[Content_Types].xml':A.contentTypes({'/word/document.xml':'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'}),'_rels/.rels':A.relationships(['officeDocument','word/document.xml']),'word/document.xml':A.xml(`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`)}); }
function far(){ const n='xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'; return A.zip({'[Content_Types].xml':A.contentTypes({'/xl/workbook.xml':'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'}),'_rels/.rels':A.relationships(['officeDocument','xl/workbook.xml']),'xl/workbook.xml':A.xml(`<workbook ${n}><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`),'xl/_rels/workbook.xml.rels':A.relationships(['worksheet','worksheets/sheet1.xml']),'xl/worksheets/sheet1.xml':A.xml(`<worksheet ${n}><dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData></worksheet>`)}); }
for (const [k,f] of Object.entries(cases)) if(!only||only.split(',').includes(k)) await go(k,f(), k.endsWith('Csv')?{filename:'a.csv'}:k.startsWith('md')?{filename:'a.md'}:{});
await r.onModuleDestroy();
