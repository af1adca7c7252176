import { randomUUID } from 'node:crypto';
import type { ToolCallDelta } from './language-model.js';
import { repairedObject } from './structured/find-json.js';
import type { WireCall } from './wire.js';

interface OpenCall {
  id: string | undefined;
  name: string;
  arguments: string;
}

/**
 * Assembles the calls of one answer from the fragments that a provider sends. A call without an id gets one. A call
 * without an index, or with the index of another call, gets the next index. The arguments are given as a whole at the
 * end, because arguments that are almost JSON are repaired.
 */
export class ToolCallReader {
  private readonly calls: OpenCall[] = [];
  /** The last call with each index of the provider. */
  private readonly byIndex = new Map<number, OpenCall>();

  /** @returns the beginnings of calls: their ids and names */
  push(fragments: readonly WireCall[]): ToolCallDelta[] {
    return fragments.flatMap((fragment) => this.add(fragment));
  }

  /** @returns the arguments of all calls */
  end(): ToolCallDelta[] {
    return this.calls.map((call, index) => ({ index, arguments: repairedObject(call.arguments) }));
  }

  private add(fragment: WireCall): ToolCallDelta[] {
    const call = this.continuedBy(fragment) ?? this.open(fragment.index);
    const isNamed = call.name !== '';
    call.arguments += fragment.arguments;
    if (!isNamed) call.id ??= fragment.id;
    if (isNamed || fragment.name === undefined) return [];
    call.name = fragment.name;
    call.id ??= `call_${randomUUID().replaceAll('-', '')}`;
    return [{ index: this.calls.indexOf(call), id: call.id, name: call.name, arguments: '' }];
  }

  private continuedBy({ index, id, name }: WireCall): OpenCall | undefined {
    const last = index === undefined ? this.calls.at(-1) : this.byIndex.get(index);
    if (last === undefined || last.name === '' || name === undefined) return last;
    // Some providers send several whole calls with the same index or with none.
    return index === undefined || (id !== undefined && id !== last.id) ? undefined : last;
  }

  private open(index: number | undefined): OpenCall {
    const call: OpenCall = { id: undefined, name: '', arguments: '' };
    this.calls.push(call);
    if (index !== undefined) this.byIndex.set(index, call);
    return call;
  }
}
