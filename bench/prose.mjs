/** Generates paragraphs of made-up words, `length` characters. */
export function prose(random, length) {
  const parts = [];
  for (let written = 0, sentence = 0; written < length; sentence += 1) {
    const words = Array.from({ length: 8 + Math.floor(random() * 10) }, () => word(random));
    const part = `${words.join(' ')}.${sentence % 6 === 5 ? '\n\n' : ' '}`;
    parts.push(part);
    written += part.length;
  }
  return parts.join('').slice(0, length).trim();
}

/** Word frequencies are skewed as in natural language. */
function word(random) {
  const rank = Math.floor(20_000 ** random());
  return `w${rank.toString(36)}`;
}
