/**
 * Questions that a sentence answers. A sentence is turned round where its grammar is certain, as in rule-based question
 * generation (Heilman and Smith, "Good Question!", NAACL 2010); every other sentence gives none.
 */

interface Form {
  /** With the groups `subject` and, for a question about time, `verb` and `participle`. */
  readonly sentence: RegExp;
  readonly question: (parts: Readonly<Record<string, string>>) => string;
}

/** Up to six words without punctuation. */
const SUBJECT = String.raw`(?<subject>(?:[\p{L}\p{N}][\p{L}\p{N}'’/&-]*\s){1,6})`;

/** Words with which a sentence begins that says nothing without the one before it, or whose subject is no topic. */
const POINTS_BACK =
  /^(?:it|its|above|below|following|this|that|these|those|there|here|he|she|they|we|you|i|our|your|their|his|her|my|which|who|what|when|where|how|why|if|as|in|on|at|for|to|by|from|with|such|some|many|most|both|each|all|any|no|not|one|another|other|same|es|er|sie|wir|ich|dies\w*|das|der|die|hier|man|il|elle|ils|elles|ce|cette|ces|nous|vous|on|y|esto|esta|este|estos|estas|ese|esa|eso|ello|isto|isso|ele|ela|eles|elas)$/iu;

const ARTICLE = /^(?:the|an?|der|die|das|eine?|le|la|les|une?|el|los|las|una|os?|as|uma?)(?=\s)/i;

const PARTICIPLE = String.raw`(?<participle>\w{2,}ed|lit|built|held|paid|made|sent|kept|sold|shut|opened|closed|given|taken|written|read|due|open)`;

/** The start of a phrase that says when. */
const TIME = String.raw`(?:at (?:dawn|dusk|noon|night|midnight|sunrise|sunset|\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)|every |on (?:the \d|(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b)|(?:in|by|before|after|until|since) (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|[12]\d{3})\b)`;

const FORMS: readonly Form[] = [
  {
    sentence: new RegExp(
      String.raw`^${SUBJECT}(?<verb>is|are|was|were|must be|may be) ${PARTICIPLE}(?: \p{L}+){0,4} ${TIME}`,
      'iu',
    ),
    question: ({ subject = '', verb = '', participle = '' }) => {
      const [first = '', ...rest] = verb.split(' ');
      return `When ${first} ${inside(subject)} ${[...rest, participle].join(' ')}?`;
    },
  },
  {
    sentence: new RegExp(String.raw`^${SUBJECT}(?<verb>is|are|was|were) (?:an?|the|one of) \p{L}`, 'iu'),
    question: ({ subject = '', verb = '' }) => `What ${verb} ${inside(subject)}?`,
  },
  {
    sentence: new RegExp(
      String.raw`^${SUBJECT}(?<verb>is|are|was|were) (?:[$€£¥]|US\$|EUR |USD )\s?\d`,
      'iu',
    ),
    question: ({ subject = '', verb = '' }) => `How much ${verb} ${inside(subject)}?`,
  },
  {
    sentence: new RegExp(String.raw`^${SUBJECT}(?:means|refers to|stands for) \p{L}`, 'iu'),
    question: ({ subject = '' }) => `What does ${inside(subject)} mean?`,
  },
  {
    sentence: new RegExp(
      String.raw`^${SUBJECT}(?<verb>ist|sind|war|waren) (?:ein|eine|der|die|das) \p{L}`,
      'iu',
    ),
    question: ({ subject = '', verb = '' }) => `Was ${verb} ${inside(subject)}?`,
  },
  {
    sentence: new RegExp(String.raw`^${SUBJECT}(?:est|sont) (?:un|une|le|la|des|les) \p{L}`, 'iu'),
    question: ({ subject = '' }) => `Qu’est-ce que ${inside(subject)} ?`,
  },
  {
    sentence: new RegExp(String.raw`^${SUBJECT}(?<verb>es|son) (?:un|una|el|la|los|las) \p{L}`, 'iu'),
    question: ({ subject = '', verb = '' }) => `¿Qué ${verb} ${inside(subject)}?`,
  },
  {
    sentence: new RegExp(String.raw`^${SUBJECT}(?<verb>é|são) (?:um|uma|o|a|os|as) \p{L}`, 'iu'),
    question: ({ subject = '', verb = '' }) => `O que ${verb} ${inside(subject)}?`,
  },
];

/** Length in characters of a sentence that can answer a question by itself. */
const MIN_SENTENCE = 20;
const MAX_SENTENCE = 400;

/** Returns the question that a sentence answers; null if its grammar is not certain. */
export function questionOf(sentence: string): string | null {
  const text = sentence.trim().replace(/\s+/gu, ' ');
  if (text.length < MIN_SENTENCE || text.length > MAX_SENTENCE || !/^\p{Lu}.*[.!]$/u.test(text)) return null;
  for (const { sentence: form, question } of FORMS) {
    const groups = form.exec(text)?.groups;
    if (groups === undefined) continue;
    const subject = (groups['subject'] ?? '').trim();
    return isTopic(subject) ? question({ ...groups, subject }) : null;
  }
  return null;
}

function isTopic(subject: string): boolean {
  const words = subject.replace(ARTICLE, '').trim().split(' ');
  if (words.some((word) => POINTS_BACK.test(word))) return false;
  // A heading that ran into the sentence, or a name in capitals: the page has no better word for it.
  return (
    words.some((word) => /\p{Ll}{3}/u.test(word)) || (words.length === 1 && /^\p{Lu}{2,8}$/u.test(subject))
  );
}

/** Returns a subject as it is spelt within a sentence: an article at its start is in small letters. */
function inside(subject: string): string {
  return subject.replace(ARTICLE, (article) => article.toLowerCase());
}
