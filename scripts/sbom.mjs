// sbom.mjs: prints the bill of materials of the service (CycloneDX). It lists the dependencies, and the bundled models
// with their licences and the SHA-256 of each file.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const MODELS = [
  {
    name: 'sentence-transformers/all-MiniLM-L6-v2',
    folder: 'models/all-MiniLM-L6-v2',
    files: ['model_int8.onnx', 'tokenizer.json', 'tokenizer_config.json'],
    licence: 'Apache-2.0',
    description: 'English text embeddings, 8-bit ONNX',
  },
  {
    name: 'intfloat/multilingual-e5-small',
    folder: 'models/multilingual-e5-small',
    files: ['model_q4.onnx', 'pieces.bin'],
    licence: 'MIT',
    description: 'multilingual text embeddings, 4-bit ONNX',
  },
];

const sha256 = (path) => ({
  alg: 'SHA-256',
  content: createHash('sha256').update(readFileSync(path)).digest('hex'),
});

/**
 * A component of the bill for a model, with the model's files as its parts. The hash of the model is the hash of its
 * weights.
 */
function componentOf({ name, folder, files, licence, description }) {
  const reference = `pkg:huggingface/${name}`;
  return {
    'bom-ref': reference,
    type: 'machine-learning-model',
    name,
    description,
    purl: reference,
    licenses: [{ license: { id: licence } }],
    hashes: [sha256(join(folder, files[0]))],
    externalReferences: [{ type: 'website', url: `https://huggingface.co/${name}` }],
    components: files.map((file) => ({
      'bom-ref': `${reference}#${file}`,
      type: 'file',
      name: file,
      hashes: [sha256(join(folder, file))],
    })),
  };
}

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--omit', 'dev'];
const bill = JSON.parse(execFileSync(npm, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }));
const models = MODELS.map(componentOf);
bill.components = [...(bill.components ?? []), ...models];
bill.dependencies = [
  ...(bill.dependencies ?? []),
  ...models.map((model) => ({ ref: model['bom-ref'], dependsOn: [] })),
];
const service = bill.dependencies.find(({ ref }) => ref === bill.metadata?.component?.['bom-ref']);
service?.dependsOn.push(...models.map((model) => model['bom-ref']));
console.log(JSON.stringify(bill, null, 2));
