// Writes the alert rules as a resource of the Prometheus Operator, which reads no plain files.
import { readFile, writeFile } from 'node:fs/promises';

const source = 'deploy/prometheus/lectern.rules.yml';
const rules = await readFile(source, 'utf8');
const head = `# Generated from ${source} by \`npm run alerts\`.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: lectern
  labels: { app.kubernetes.io/name: lectern }
spec:
`;
const body = rules
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .map((line) => (line === '' ? '' : `  ${line}`))
  .join('\n');
await writeFile('deploy/kubernetes/monitoring/rules.yaml', head + body);
