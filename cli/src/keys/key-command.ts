import type { Permission } from '../../../src/index.js';

export type KeyCommand =
  | {
      readonly action: 'create';
      readonly appId: string;
      readonly name: string;
      readonly permissions: readonly Permission[];
      readonly endUserId: string | null;
      readonly networks: readonly string[] | null;
      readonly lifetimeSeconds: number | undefined;
    }
  | { readonly action: 'list'; readonly appId: string }
  | { readonly action: 'revoke'; readonly appId: string; readonly id: string };
