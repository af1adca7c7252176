import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ParseFailure } from '../parse-failure.js';
import { compoundType } from './compound-file.js';

const fixture = (name: string): Buffer =>
  readFileSync(join(__dirname, '../../../../test/fixtures/office', name));

/** Returns the offset of a stream, found by its first bytes. */
const contentAt = (file: Buffer, firstBytes: string): number => file.indexOf(Buffer.from(firstBytes, 'hex'));

describe('compoundType', () => {
  it.each([
    ['minutes.doc', 'application/msword'],
    ['budget.xls', 'application/vnd.ms-excel'],
    ['slides.ppt', 'application/vnd.ms-powerpoint'],
  ])('recognises %s by its streams', (name, type) => {
    expect(compoundType(fixture(name))).toBe(type);
  });

  it.each([
    // wIdent of Word's file information block, followed by the word with the bit fEncrypted
    ['minutes.doc', 'eca50101', 11, 0x01],
    // the record BOF of a workbook, followed by the type of the next record
    ['budget.xls', '0908100000060500', 20, 0x2f],
  ])('recognises encryption of %s', (name, firstBytes, offset, value) => {
    const file = fixture(name);
    const at = contentAt(file, firstBytes);
    expect(at).toBeGreaterThan(0);
    file[at + offset] = value;
    if (name === 'budget.xls') file[at + offset + 1] = 0;
    expect(() => compoundType(file)).toThrow(/protected by a password/);
  });

  it('recognises encryption of a presentation', () => {
    const file = fixture('slides.ppt');
    const name = Buffer.from('EncryptedSummary', 'utf16le');
    const at = file.indexOf(Buffer.from('Current User\0', 'utf16le'));
    expect(at).toBeGreaterThan(0);
    name.copy(file, at);
    file.writeUInt16LE(name.length + 2, at + 64);
    expect(() => compoundType(file)).toThrow(/protected by a password/);
  });

  it.each(['minutes.doc', 'budget.xls', 'slides.ppt'])('rejects %s truncated at any length', (name) => {
    const file = fixture(name);
    for (let length = 8; length < file.length - 1_024; length += 509) {
      expect(() => compoundType(file.subarray(0, length))).toThrow(/truncated or damaged/);
    }
  });

  it('terminates for any content of the tables', () => {
    const numbers = [0, 1, 2, 3, 0x7fffffff, 0xfffffffe];
    const file = fixture('minutes.doc');
    const tables = [44, 48, 60, 64, 68, 72, 76];
    for (let at = 512; at < file.length; at += 116) tables.push(at);
    for (const at of tables) {
      for (const number of numbers) {
        const changed = Buffer.from(file);
        changed.writeUInt32LE(number, Math.min(at, file.length - 4));
        let failure: unknown;
        try {
          compoundType(changed);
        } catch (error) {
          failure = error;
        }
        if (failure !== undefined) expect(failure).toBeInstanceOf(ParseFailure);
      }
    }
  });
});
