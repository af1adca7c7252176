/**
 * Matches a question for a number: "how many", "wie viele", "combien", in the languages of the largest sets of
 * documents. Chinese and Japanese ask for numbers with a character within the sentence.
 */
const ASKS_FOR_NUMBER =
  /(?<![\p{L}\p{M}])(?:how (?:many|much|old|long|far|tall|high|heavy|large|big|often|fast|deep|wide)|number of|wie ?viele?|wie (?:lange?|hoch|alt|weit|schwer|groß|oft|breit|tief|teuer)|wieviele?|combien|cu[aá]nt[oa]s?|quant[oaie]s?|hoeveel|hur m[aå]nga|hvor mange|kuinka (?:monta|paljon)|ile|kolik|hány|câte|câți|kaç|berapa|bao nhiêu|сколько|скільки|πόσ[αεοη]\p{L}*|كم|چند|כמה|कितन[ाेी]|กี่|เท่าไ[หร]\p{L}*)(?![\p{L}\p{M}])|多少|幾|几|何[人年月日回個本台時分円枚件]|いくつ|いくら|몇|얼마/iu;

/** Matches a digit, or a number in words of a few large languages. */
const HAS_NUMBER =
  /\p{N}|(?<![\p{L}\p{M}])(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|dozen|half|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|hundert|tausend|deux|trois|quatre|cinq|sept|huit|neuf|dix|vingt|cent|mille|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|veinte|cien|mil)(?![\p{L}\p{M}])|[二三四五六七八九十百千万两]/iu;

export function asksForNumber(question: string): boolean {
  return ASKS_FOR_NUMBER.test(question);
}

export function hasNumber(text: string): boolean {
  return HAS_NUMBER.test(text);
}
