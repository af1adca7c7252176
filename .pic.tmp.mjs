import { Transformer } from '@napi-rs/image'; import { spawn } from 'node:child_process'; import { randomBytes } from 'node:crypto'; import { mkdirSync, existsSync, writeFileSync, readFileSync } from 'node:fs';
import { readPages } from './bench/dataset.mjs'; import { ingestFiles } from './bench/ingest.mjs'; import { randomSource } from './bench/random-source.mjs';
const dir='/tmp/picdata'; const fresh=!existsSync(dir); mkdirSync(dir,{recursive:true});
const kf='/tmp/picdata.keys'; if(fresh)writeFileSync(kf,JSON.stringify({ADMIN_KEY:randomBytes(24).toString('hex'),JWT_SECRET:randomBytes(48).toString('base64')}));
const keys=JSON.parse(readFileSync(kf)); const port='8133';
const child=spawn('node',['dist/main.js'],{env:{...process.env,...keys,DATA_DIR:dir,PORT:port,HOST:'127.0.0.1',RATE_LIMIT_PER_MINUTE:'0',LOG_LEVEL:'error',DATABASE_URL:''},stdio:'inherit'});
const base=`http://127.0.0.1:${port}`; for(;;){try{if((await fetch(base+'/health/ready')).ok)break}catch{} await new Promise(r=>setTimeout(r,200))}
const call=async(p,b)=>{const r=await fetch(base+p,{method:b?'POST':'GET',headers:{Authorization:'Bearer '+keys.ADMIN_KEY,'Content-Type':'application/json'},...(b?{body:JSON.stringify(b)}:{})});if(!r.ok)throw new Error(p+' '+r.status+await r.text());return r.json()};
const service={base,key:keys.ADMIN_KEY,call};
if(fresh){console.log('ingest');console.log(await ingestFiles(service,readPages(),{use_colpali:'true'}))}
if(process.argv[2]==='ingest'){child.kill('SIGTERM');await new Promise(r=>child.on('exit',r));process.exit()}
const {documents}=await call('/documents',{limit:1000}); const places=documents.sort((a,b)=>a.filename<b.filename?-1:1).flatMap(d=>Array.from({length:d.system_metadata.page_count},(_,i)=>({id:d.external_id,name:d.filename,page:i+1})));
const random=randomSource(7); const N=Number(process.argv[2]??100); const drawn=Array.from({length:N},()=>places[Math.floor(random()*places.length)]);
let first=0,ten=0; const queue=drawn.map(p=>[p,random(),random()]); const t0=Date.now(); const sc=[];
const one=async()=>{for(;;){const x=queue.shift();if(!x)return;const [p,a,b]=x;const {pages}=await call('/documents/pages',{document_id:p.id,start_page:p.page,end_page:p.page});const png=Buffer.from(pages[0].split(',')[1],'base64');const {width,height}=await new Transformer(png).metadata();const w=Math.round(width*.9),h=Math.round(height*.9);const img=await new Transformer(png).crop(Math.floor(a*(width-w)),Math.floor(b*(height-h)),w,h).fastResize({width:Math.round(w*.6),height:Math.round(h*.6)}).jpeg(70);
 const f=await call('/retrieve/chunks',{query_image:img.toString('base64'),use_colpali:true,output_format:'text',k:10}); const r=f.findIndex(c=>c.document_id===p.id&&c.chunk_number===p.page-1); if(r===0){first++;sc.push(f[0].score)} if(r>=0)ten++; if(r!==0)console.log(p.name,p.page,'rank',r+1,'top',f[0].score.toFixed(3),f[0].filename,f[0].metadata.page_number,'own',r>0?f[r].score.toFixed(3):'-','len',r>0?f[r].content.length:'');}};
await Promise.all([one(),one()]); console.log({N,first,ten,ms:Math.round((Date.now()-t0)/N),min:Math.min(...sc)});
child.kill('SIGTERM');await new Promise(r=>child.on('exit',r));process.exit();
