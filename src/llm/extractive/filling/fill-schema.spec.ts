import { NO_CONTEXT } from '../../../lexical/chunk-context.js';
import type { Invalid } from '../../../errors/index.js';
import { compileSchema } from '../../structured/compile-schema.js';
import type { JsonSchema } from '../../structured/json-schema.js';
import { fillSchema } from './fill-schema.js';

const TEXT = `# Nimbus Router X200

## Warranty
The router is covered by a limited warranty of 24 months from the date of purchase. The warranty was last revised on 12 March 2019.

## Technical data
| Property | Value |
|---|---|
| Weight | 480 g |
| Operating temperature | 0 to 40 °C |
| Colour | dark blue |

The router was designed by Maria Keller. It supports WPA3 encryption. The housing is not waterproof.
The available colours are red, green and blue. Write to support@nimbus.example for help.

## Spare parts
| Part | Price | Stock |
|---|---|---|
| Antenna | 12.50 | 3 |
| Power adapter | 20 | 15 |

## Box contents
The box contains:
- one router
- one power adapter
- two cables`;

function filled(schema: JsonSchema, question = 'What about the router?'): unknown {
  const value = fillSchema(
    schema,
    { question, passages: [{ number: 1, text: TEXT, context: NO_CONTEXT, score: 0.9 }], citations: false },
    () => 'In words.',
  );
  expect(compileSchema(schema).problemsOf(value)).toEqual([]);
  return value;
}

const object = (properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
});

describe('filling a schema from passages', () => {
  it.each<[string, JsonSchema, unknown]>([
    ['warranty_months', { type: 'integer' }, 24],
    ['warrantyYears', { type: 'number' }, 2],
    ['weight', { type: 'integer' }, 480],
    ['weight_kg', { type: 'number' }, 0.48],
    ['maximum_operating_temperature', { type: 'integer', minimum: 1 }, 40],
    ['waterproof', { type: 'boolean' }, false],
    ['supports_wpa3', { type: 'boolean' }, true],
    ['warranty_revised', { type: 'string', format: 'date' }, '2019-03-12'],
    ['support_email', { type: 'string', format: 'email' }, 'support@nimbus.example'],
    ['encryption', { enum: ['WEP', 'WPA2', 'WPA3'] }, 'WPA3'],
    ['designer', { type: 'string', description: 'who designed the router' }, 'Maria Keller'],
    ['colour', { type: 'string' }, 'dark blue'],
    ['available_colours', { type: 'array', items: { type: 'string' } }, ['red', 'green', 'blue']],
    [
      'box_contents',
      { type: 'array', items: { type: 'string' } },
      ['one router', 'one power adapter', 'two cables'],
    ],
    ['answer', { type: 'string' }, 'In words.'],
    ['fax', { type: ['string', 'null'], format: 'phone' }, null],
    ['fax', { anyOf: [{ type: 'null' }, { type: 'integer' }] }, null],
    ['version', { const: 3 }, 3],
    ['kind', { oneOf: [{ const: 'switch' }, { const: 'router' }] }, 'router'],
  ])('finds %s', (name, schema, expected) => {
    expect(filled(object({ [name]: schema }))).toEqual({ [name]: expected });
  });

  it('makes objects of the rows of a table', () => {
    const part = object({ part: { type: 'string' }, price: { type: 'number' }, stock: { type: 'integer' } });
    expect(filled(object({ spare_parts: { type: 'array', items: part } }))).toEqual({
      spare_parts: [
        { part: 'Antenna', price: 12.5, stock: 3 },
        { part: 'Power adapter', price: 20, stock: 15 },
      ],
    });
  });

  it('follows references and nested objects', () => {
    const schema = {
      ...(object({ warranty: { $ref: '#/$defs/period' } }) as object),
      $defs: { period: object({ warranty_months: { type: 'integer' } }) },
    };
    expect(filled(schema)).toEqual({ warranty: { warranty_months: 24 } });
  });

  it('leaves out optional properties that are not in the text', () => {
    expect(
      filled(object({ weight: { type: 'integer' }, fax_number: { type: 'integer' } }, ['weight'])),
    ).toEqual({
      weight: 480,
    });
  });

  it('answers a schema without a shape with the answer in words', () => {
    expect(filled(true)).toEqual({ answer: 'In words.' });
    expect(filled({ description: 'anything' })).toEqual({ answer: 'In words.' });
  });

  it('names the property that it cannot fill', () => {
    const schema = object({ maker: object({ vat_number: { type: 'integer' } }) });
    const attempt = (): unknown => filled(schema);
    expect(attempt).toThrow(/the property "maker.vat_number"/);
    try {
      attempt();
    } catch (error) {
      expect((error as Invalid).items[0]).toMatchObject({ loc: ['body', 'schema'], type: 'value_error' });
    }
  });

  it.each<[string, JsonSchema]>([
    ['router_price', { type: 'number' }],
    ['router_has_bluetooth', { type: 'boolean' }],
    ['router_email_of_sales', { type: 'integer' }],
    ['warranty_revised', { type: 'string', format: 'date-time' }],
    ['species', { oneOf: [{ const: 'cat' }, { const: 'dog' }] }],
    ['manufacturer', object({ name: { type: 'string' } })],
    ['operating_system', { enum: ['linux', 'bsd'] }],
  ])('does not invent %s', (name, schema) => {
    expect(() => filled(object({ [name]: schema }))).toThrow(`the property "${name}`);
  });

  it.each<[string, string, unknown]>([
    ['supports_wpa3', 'The lamp supports WPA3, and is not waterproof.', true],
    ['waterproof', 'The lamp supports WPA3, and is not waterproof.', false],
    ['has_bluetooth', 'The lamp has no USB port, and has Bluetooth.', null],
    ['dustproof', 'The lamp is neither waterproof nor dustproof.', false],
  ])('reads whether %s from "%s"', (name, text, expected) => {
    const schema = object({ [name]: { type: ['boolean', 'null'] } });
    const grounding = {
      question: 'x',
      passages: [{ number: 1, text, context: NO_CONTEXT, score: 1 }],
      citations: false,
    };
    expect(fillSchema(schema, grounding, () => null)).toEqual({ [name]: expected });
  });

  it.each(['#warranty', 'warranty', '#/$defs/a~1b%20c'])('follows the reference %s', (reference) => {
    const period = object({ warranty_months: { type: 'integer' } }) as object;
    const $defs = {
      anchored: { $anchor: 'warranty', ...period },
      identified: { $id: 'warranty', ...period },
      'a/b c': period,
    };
    const schema = { ...(object({ warranty: { $ref: reference } }) as object), $defs };
    expect(filled(schema)).toEqual({ warranty: { warranty_months: 24 } });
  });

  it('finds a measure that the text has as a verb', () => {
    const grounding = {
      question: 'x',
      passages: [{ number: 1, text: 'The lamp weighs 480 g.', context: NO_CONTEXT, score: 1 }],
      citations: false,
    };
    const weight = fillSchema(object({ weight: { type: 'integer' } }), grounding, () => null);
    expect(weight).toEqual({ weight: 480 });
  });

  it('ends on a schema that refers to itself, however it multiplies', () => {
    const node = { type: 'object', properties: {} as Record<string, JsonSchema>, required: [] as string[] };
    for (let i = 0; i < 10; i++) node.properties[`child${i}`] = { $ref: '#' };
    expect(filled(node)).toEqual(expect.objectContaining({}));
    expect(() => filled({ $ref: '#' })).toThrow();
  });
});
