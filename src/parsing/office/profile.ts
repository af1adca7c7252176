import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * [path, property, value] of LibreOffice's configuration: no macros, no link in a document is followed, neither on the
 * network nor to other files, and the proxy for what might try nevertheless is an address where nobody answers.
 */
const OPTIONS: readonly (readonly [string, string, string])[] = [
  ['Office.Common/Security/Scripting', 'MacroSecurityLevel', '3'],
  ['Office.Common/Security/Scripting', 'DisableMacrosExecution', 'true'],
  ['Office.Common/Security/Scripting', 'DisableActiveContent', 'true'],
  ['Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'],
  ['Office.Writer/Content/Update', 'Link', '0'],
  ['Office.Calc/Content/Update', 'Link', '2'],
  ['Inet/Settings', 'ooInetProxyType', '2'],
  ['Inet/Settings', 'ooInetHTTPProxyName', '127.0.0.1'],
  ['Inet/Settings', 'ooInetHTTPProxyPort', '9'],
  ['Inet/Settings', 'ooInetHTTPSProxyName', '127.0.0.1'],
  ['Inet/Settings', 'ooInetHTTPSProxyPort', '9'],
  ['Inet/Settings', 'ooInetNoProxy', ''],
];

/** Writes the profile that LibreOffice starts with. */
export async function writeProfile(folder: string): Promise<void> {
  const items = OPTIONS.map(
    ([path, name, value]) =>
      `<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  );
  await mkdir(join(folder, 'user'), { recursive: true });
  await writeFile(
    join(folder, 'user', 'registrymodifications.xcu'),
    `<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry">${items.join('')}</oor:items>\n`,
  );
}
