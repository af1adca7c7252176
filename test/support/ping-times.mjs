/**
 * Requests URL/ping every 50 ms until standard input ends, then prints the response times in ms. It is a separate
 * process, because a process that also sends long bodies would measure its own delays.
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
