import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const PAGE = join(import.meta.dirname, '..');

/** Names, which are the same in every language. */
const NAMES = /Lectern|LiteLLM|Ollama|OpenAI|Python|TypeScript/g;

/** Attributes that are read out or shown. Other attributes, such as classes, may have words. */
const SHOWN = new Set(
  [
    'action',
    'alt',
    'aria-description',
    'aria-label',
    'aria-roledescription',
    'aria-valuetext',
    'heading',
  ].concat([...['label', 'more', 'name', 'placeholder', 'refusal', 'scrolls', 'summary', 'title', 'verb']]),
);
/** Of native elements: the name of a field. */
const NAMED = new Set(['input', 'select', 'textarea', 'button', 'a', 'Icon', 'Tabs']);

const WORD = /\p{L}{2,}/u;
/** Two words, or one that begins a sentence. */
const SENTENCE = /\p{L}{2,}[,;:]? \p{L}{2,}|^\p{Lu}\p{Ll}+(?:[ …!?.]|$)/u;

interface Raw {
  readonly line: number;
  readonly text: string;
}

/** The texts of a source that a person would read and that no file of a language has. */
function rawTexts(code: string, name: string): Raw[] {
  const source = ts.createSourceFile(name, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: Raw[] = [];
  const tell = (node: ts.Node, text: string): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push({ line: line + 1, text: text.trim() });
  };
  const visit = (node: ts.Node): void => {
    if (isCode(node)) return;
    const text = textOf(node);
    if (text !== null && (isChild(node) ? WORD : SENTENCE).test(text.replaceAll(NAMES, ''))) tell(node, text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The text of a literal or of a part of a template. */
function textOf(node: ts.Node): string | null {
  if (ts.isJsxText(node) || ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
    return node.text;
  return ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node) ? node.text : null;
}

/** Whether a literal is what an element shows, or the value of an attribute that is shown. */
function isChild(node: ts.Node): boolean {
  let inner = node;
  let { parent } = node;
  while (
    ts.isConditionalExpression(parent) ||
    ts.isParenthesizedExpression(parent) ||
    ts.isTemplateExpression(parent) ||
    ts.isTemplateSpan(parent) ||
    (ts.isBinaryExpression(parent) && parent.right === inner && !isComparison(parent))
  ) {
    if (ts.isConditionalExpression(parent) && parent.condition === inner) return false;
    inner = parent;
    ({ parent } = parent);
  }
  if (ts.isJsxText(node)) return true;
  if (ts.isJsxExpression(parent)) ({ parent } = parent);
  return ts.isJsxElement(parent) || ts.isJsxFragment(parent) || ts.isJsxAttribute(parent);
}

function isComparison({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
  return [
    ts.SyntaxKind.EqualsEqualsEqualsToken,
    ts.SyntaxKind.ExclamationEqualsEqualsToken,
    ts.SyntaxKind.InKeyword,
  ].includes(kind);
}

/** Whether nobody reads what is in the node: names of modules and types, classes, errors of developers, shown code. */
function isCode(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return true;
  if (ts.isBinaryExpression(node)) return isComparison(node);
  if (ts.isNewExpression(node)) return node.expression.getText() === 'Error';
  if (ts.isPropertyAssignment(node)) return node.name.getText() === 'call';
  if (ts.isJsxAttribute(node)) return !isShown(node);
  const { parent } = node as { readonly parent?: ts.Node };
  return parent !== undefined && ts.isPropertyAssignment(parent) && parent.name === node;
}

function isShown(attribute: ts.JsxAttribute): boolean {
  const name = attribute.name.getText();
  const element = attribute.parent.parent.tagName.getText();
  return SHOWN.has(name) && !(name === 'name' && NAMED.has(element));
}

const SOURCES = readdirSync(PAGE, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /\.tsx?$/.test(path) && !/\.spec\.ts$|^language\//.test(path),
);
/** Examples of values, and what only programs read. */
const VALUES = [
  '(prefers-color-scheme: dark)',
  '/reports/2025',
  '/reports/2026',
  'A new title',
  'Ann',
  'LLM_API_KEY=<your key>',
  'ann-lee',
  'filters',
  'lacks the permission',
  'sk-…',
  'wrapped lines',
  '{"kind": "report", "year": 2025}',
  '{"kind": "report", "year": {"$gte": 2024}}',
];
/** Request code is the same in every language. */
const CODE = new Set(['requests/to-code.ts']);

describe('texts that a person reads', () => {
  it('are in the files of the languages', () => {
    const raw = SOURCES.filter((path) => !CODE.has(path)).flatMap((path) =>
      rawTexts(readFileSync(join(PAGE, path), 'utf8'), path).map((one) => ({ ...one, path })),
    );
    expect(SOURCES.length).toBeGreaterThan(100);
    expect(raw.filter(({ text }) => !VALUES.includes(text))).toEqual([]);
    expect(VALUES.filter((value) => raw.every(({ text }) => text !== value))).toEqual([]);
  });

  it.each([
    ['<p>Nothing here</p>', 'Nothing here'],
    ['<p>{isOne ? "it" : t("a.b")}</p>', 'it'],
    ['<p>{isOne && "it"}</p>', 'it'],
    ['<p>{`${count} files`}</p>', 'files'],
    ['<img alt="logo" />', 'logo'],
    ['<button title={isOpen ? "close" : "open"} class="two words" />', 'close,open'],
    ['<EmptyState title="gone" />', 'gone'],
    ['const problem = "Not a file";', 'Not a file'],
    ['setSaid("Copied")', 'Copied'],
    ['const said = `The file of ${name} is gone`;', 'The file of,is gone'],
  ])('are found in %s', (code, texts) => {
    expect(
      rawTexts(code, 'a.tsx')
        .map(({ text }) => text)
        .join(','),
    ).toBe(texts);
  });

  it.each([
    'import { t } from "../Language one.js";',
    'throw new Error("there is no list here");',
    '<p class="two words" dir="auto">{t("a.b", { name: "x" })} · Lectern</p>',
    'if (event.key === "Escape" || mode === "any of") stop();',
    'const request = { call: "const all = await lectern.list();" };',
    'type Kind = "One word" | "Two words";',
  ])('are not found in %s', (code) => {
    expect(rawTexts(code, 'a.tsx')).toEqual([]);
  });
});
