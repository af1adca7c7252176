/**
 * Asks URL/ping every 50 ms until its standard input ends, then prints how long the answers took, in milliseconds. A
 * process of its own: one that makes and sends long bodies would measure itself.
 */
const [url] = process.argv.slice(2);
const times = [];
let ended = false;
process.stdin.resume().on('end', () => (ended = true));
while (!ended) {
  const begun = performance.now();
  const response = await fetch(`${url}/ping`);
  await response.text();
  if (response.status !== 200) throw new Error(`/ping is ${response.status}`);
  times.push(performance.now() - begun);
  if (times.length === 1) console.log('ready');
  await new Promise((resolve) => setTimeout(resolve, 50));
}
console.log(JSON.stringify(times.slice(1)));
