import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { demoCitizens } from './demo.ts';
import type { DemoOidcClient } from './demoOidc.ts';
import type { DemoOperator } from './demoOperators.ts';
import type { DemoPassport } from './demoPassport.ts';
import type { DemoPerson, DemoRepresentation } from './demoPeople.ts';
import type { DemoPlatform } from './demoPlatform.ts';
import type { DemoRelyingParty } from './demoRelyingParty.ts';

/** Content of `.tamga/demo.json`, for client programs. Secrets of the demo only. */
export interface DemoFile {
  readonly rpApiBase: string;
  readonly baseUrl: string;
  readonly verifyBase: string;
  readonly relyingParty: DemoRelyingParty;
  readonly citizens: readonly DemoPerson[];
  /** Null while fewer than two citizens are left to represent it. */
  readonly organization: DemoRepresentation | null;
  /** Access to documents, directory and assistant. */
  readonly platform: DemoPlatform;
  /** OpenID Connect client; null when none could be registered. */
  readonly openIdConnect: DemoOidcClient | null;
  /** Passport for an identity verification; null where other country authorities are configured. */
  readonly passport: DemoPassport | null;
  /** Operator who requests approvals; null when the account no longer signs in as the demo left it. */
  readonly operator: DemoOperator | null;
  /** Operator who approves; null likewise. */
  readonly approver: DemoOperator | null;
  /** Paths of PEM files. */
  readonly trust: { readonly anchorsPem: string; readonly intermediatesPem: string };
}

/** Reads the file of an earlier run, whose parts may be missing; empty where it is gone or damaged. */
export async function readDemoFile(dataDir: string): Promise<Partial<DemoFile>> {
  try {
    return (JSON.parse(await readFile(demoPath(dataDir), 'utf8')) ?? {}) as Partial<DemoFile>;
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isGone || error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Writes `demo.json` and `demo.env`. @returns path of the first */
export async function writeDemoFile(dataDir: string, file: DemoFile): Promise<string> {
  const path = demoPath(dataDir);
  await writeFile(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  await writeFile(join(dataDir, 'demo.env'), shellVariables(file), { mode: 0o600 });
  return path;
}

const demoPath = (dataDir: string) => join(dataDir, 'demo.json');

function shellVariables(demo: DemoFile): string {
  return variablesOf(demo)
    .map(([name, value]) => `export ${name}='${value}'\n`)
    .join('');
}

/** Environment variables of a relying party's program. */
export function variablesOf(demo: DemoFile): readonly (readonly [name: string, value: string])[] {
  const {
    rpApiBase,
    verifyBase,
    relyingParty,
    citizens,
    trust,
    operator,
    approver,
    openIdConnect,
    platform,
    passport,
  } = demo;
  return [
    ['RP_API_BASE', rpApiBase],
    ['VERIFY_BASE', verifyBase],
    ['RP_UUID', relyingParty.uuid],
    ['RP_NAME', relyingParty.name],
    ['RP_SECRET', relyingParty.apiSecret],
    ...(openIdConnect === null
      ? []
      : ([
          ['OIDC_ISSUER', openIdConnect.issuer],
          ['OIDC_CLIENT_ID', openIdConnect.clientId],
          ['OIDC_CLIENT_SECRET', openIdConnect.clientSecret],
        ] as const)),
    ['ACCESS_TOKEN', platform.accessToken],
    ...(passport === null ? [] : [['PASSPORT', passport.step] as const]),
    // Absolute, as the caller's program may run anywhere.
    ['TRUST_ANCHORS', resolve(trust.anchorsPem)],
    ['TRUST_INTERMEDIATES', resolve(trust.intermediatesPem)],
    ...[operator, approver].flatMap((account, index): [string, string][] => {
      const name = index === 0 ? 'OPERATOR' : 'APPROVER';
      if (account === null) return [];
      return [
        [`${name}_EMAIL`, account.email],
        [`${name}_PASSWORD`, account.password],
        [`${name}_TOTP_SECRET`, account.totpSecret],
      ];
    }),
    ...citizens.map(({ civilId, etsi }): [string, string] => [
      demoCitizens.find((citizen) => citizen.civilId === civilId)?.variable ?? civilId,
      etsi,
    ]),
  ];
}
