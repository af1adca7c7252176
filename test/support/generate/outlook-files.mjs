import { burn } from '@kenjiuno/msgreader/lib/Burner.js';
import { austen } from './passages.mjs';

/** Messages saved by Outlook (MS-OXMSG): compound files with a stream per property. */
export function outlookFiles({ report }) {
  return {
    'outlook.msg': compoundFile(
      message({
        properties: {
          ...sender,
          '0037001F': 'On ponds',
          '1000001F': `${austen}\r\n`,
          '1035001F': '<2@longbourn.example>',
        },
        attachments: [
          { '3707001F': 'report.pdf', '370E001F': 'application/pdf', 37010102: report },
          { '3707001F': 'levels.csv', 37010102: Buffer.from('station,level\r\nNorth,1.25\r\n') },
          { '3707001F': 'noise.bin', 37010102: Buffer.from([0, 1, 2, 3, 255, 254, 0, 7]) },
          {
            '3707001F': 'logo.png',
            '370E001F': 'image/png',
            '3712001F': 'logo@longbourn.example',
            37010102: Buffer.from('not looked at'),
          },
        ],
        inner: {
          properties: { ...sender, '0037001F': 'Inside', '1013001F': '<p>A <b>message</b> inside.</p>' },
        },
      }),
    ),
    'outlook-cyrillic.msg': compoundFile(
      message({ properties: { '0037001E': CYRILLIC, '1000001E': CYRILLIC } }),
    ),
  };
}

const sender = {
  '0C1A001F': 'Elizabeth Bennet',
  '0C1E001F': 'SMTP',
  '0C1F001F': 'elizabeth@longbourn.example',
};

/** A sentence in Windows-1251, the code page of the author. */
const CYRILLIC = Buffer.from(
  'd1f7e0f1f2ebe8e2fbe520f1e5ecfce820efeef5eee6e820e4f0f3e320ede020e4f0f3e3e02c20eae0e6e4e0ff20ede5f1f7e0f1f2ebe8e2e0ff20f1e5ecfcff20ede5f1f7e0f1f2ebe8e2e020efee2df1e2eee5ecf32e',
  'hex',
);

const SENT = 0x00390040;
const KIND_OF_RECIPIENT = 0x0c150003;
const KIND_OF_ATTACHMENT = 0x37050003;
/** 2024-01-31T12:00:00Z in units of 100 ns since 1601. */
const NOON = (BigInt(Date.UTC(2024, 0, 31, 12)) + 11_644_473_600_000n) * 10_000n;

function message({ properties, attachments = [], inner }, header = 32) {
  const recipients = [
    ['Jane Bennet', 'jane@longbourn.example', 1],
    ['', 'aunt@london.example', 1],
    ['Mr Bennet', 'father@longbourn.example', 2],
  ];
  return {
    ...streams(properties, { [SENT]: NOON }, header),
    ...numbered(
      '__recip_version1.0_',
      recipients.map(([name, address, kind]) =>
        streams(
          { '3001001F': name, '3002001F': 'SMTP', '3003001F': address },
          { [KIND_OF_RECIPIENT]: BigInt(kind) },
          8,
        ),
      ),
    ),
    ...numbered('__attach_version1.0_', [
      ...attachments.map((one) => streams(one, { [KIND_OF_ATTACHMENT]: 1n }, 8)),
      ...(inner === undefined
        ? []
        : [
            {
              ...streams({ '3001001F': 'Inside' }, { [KIND_OF_ATTACHMENT]: 5n }, 8),
              '__substg1.0_3701000D': message(inner, 24),
            },
          ]),
    ]),
  };
}

function numbered(prefix, storages) {
  return Object.fromEntries(
    storages.map((storage, i) => [`${prefix}#${i.toString(16).padStart(8, '0').toUpperCase()}`, storage]),
  );
}

/** Values of variable length have their own streams; numbers are in the property stream. */
function streams(values, numbers, header) {
  const entries = [
    ...Object.entries(values).map(([tag, value]) => [Number.parseInt(tag, 16), BigInt(value.length)]),
    ...Object.entries(numbers).map(([tag, value]) => [Number(tag), value]),
  ];
  const properties = Buffer.alloc(header + entries.length * 16);
  for (const [i, [tag, value]] of entries.entries()) {
    properties.writeUInt32LE(tag, header + i * 16);
    properties.writeUInt32LE(6, header + i * 16 + 4);
    properties.writeBigUInt64LE(value, header + i * 16 + 8);
  }
  return {
    '__properties_version1.0': properties,
    ...Object.fromEntries(
      Object.entries(values).map(([tag, value]) => [
        `__substg1.0_${tag.toUpperCase()}`,
        typeof value === 'string' ? Buffer.from(value, 'utf16le') : value,
      ]),
    ),
  };
}

const [STORAGE, STREAM, ROOT] = [1, 2, 5];

function compoundFile(root) {
  const entries = [{ name: 'Root Entry', type: ROOT, length: 0, children: [] }];
  const add = (parent, tree) => {
    for (const [name, content] of Object.entries(tree)) {
      const isStream = Buffer.isBuffer(content);
      parent.children.push(entries.length);
      const entry = isStream
        ? { name, type: STREAM, length: content.length, binaryProvider: () => Uint8Array.from(content) }
        : { name, type: STORAGE, length: 0, children: [] };
      entries.push(entry);
      if (!isStream) add(entry, content);
    }
  };
  add(entries[0], root);
  return Buffer.from(burn(entries));
}
