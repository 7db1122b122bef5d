import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import { spareCitizens } from '../../infrastructure/registry/demo/spareCitizens.ts';
import type { KeyType } from '../../apps/phone/crypto.ts';
import type { ScriptedOutcome } from '../../apps/phone/scripted.ts';

// Demo accounts, shared by the demo, the tests and docs/demo-accounts.md.

/** A citizen of the demo registry whose phone always gives the same answer. */
export interface DemoCitizen {
  readonly civilId: string;
  readonly regNo: string;
  readonly name: string;
  readonly cardNumber: string;
  readonly birthDate: string;
  readonly keyType: KeyType;
  readonly outcome: ScriptedOutcome;
  readonly pin1: string;
  readonly pin2: string;
  /** Variable of `demo.env` with the identifier. */
  readonly variable: string;
}

type Row = readonly [
  civilId: string,
  regNo: string,
  name: string,
  cardNumber: string,
  birthDate: string,
  keyType: KeyType,
  outcome: ScriptedOutcome,
];

const rows: readonly Row[] = [
  ['110000000001', 'уб85031512', 'Бат-Эрдэнэ Дорж', 'E00000001', '1985-03-15', 'P-256', 'OK'],
  ['110000000002', 'аа90110724', 'Сарангэрэл Ганбаатар', 'E00000002', '1990-11-07', 'RSA', 'OK'],
  [
    '110000000003',
    'жө78062833',
    'Өнөрбаяр Цэрэндорж',
    'E00000003',
    '1978-06-28',
    'P-256',
    'USER_REFUSED',
  ],
  [
    '110000000004',
    'ию95092141',
    'Мөнхзул Батсайхан',
    'E00000004',
    '1995-09-21',
    'P-256',
    'USER_REFUSED_DISPLAYTEXTANDPIN',
  ],
  [
    '110000000005',
    'чп82120155',
    'Төмөрбаатар Лхагвасүрэн',
    'E00000005',
    '1982-12-01',
    'P-256',
    'USER_REFUSED_INTERACTION',
  ],
  [
    '110000000006',
    'рд03241067',
    'Нарантуяа Пүрэвдорж',
    'E00000006',
    '2003-04-10',
    'P-256',
    'USER_REFUSED_VC_CHOICE',
  ],
  [
    '110000000007',
    'тз68021976',
    'Ёндонжамц Сүхбаатар',
    'E00000007',
    '1968-02-19',
    'P-256',
    'WRONG_VC',
  ],
  [
    '110000000008',
    'шг01310583',
    'Энхжин Болдбаатар',
    'E00000008',
    '2001-11-05',
    'P-256',
    'TIMEOUT',
  ],
  [
    '110000000009',
    'хэ88071792',
    'Ганзориг Нямдаваа',
    'E00000009',
    '1988-07-17',
    'P-256',
    'DOCUMENT_UNUSABLE',
  ],
];

/** Enrolled demo citizens. */
export const demoCitizens: readonly DemoCitizen[] = rows.map(
  ([civilId, regNo, name, cardNumber, birthDate, keyType, outcome]) => ({
    civilId,
    regNo,
    name,
    cardNumber,
    birthDate,
    keyType,
    outcome,
    pin1: '1234',
    pin2: '12345',
    variable: `CITIZEN_${outcome}${keyType === 'RSA' ? '_RSA' : ''}`,
  }),
);

/** Organization that the first two demo citizens represent, as ADMIN and as MANAGER. */
export const demoOrganization = {
  register: '5512345',
  name: 'Тамга Демо ХХК',
  nameLatin: 'TAMGA DEMO LLC',
} as const;

/** Demo citizen whose phone is lost and certificate revoked in each run of the demo. */
export const citizenWithLostPhones = {
  civilId: '110000000013',
  name: 'Хулан Давааням',
  cardNumber: 'E00000013',
  birthDate: '1992-02-14',
} as const;

export interface DemoOperatorAccount {
  readonly email: string;
  readonly password: string;
  readonly role: OperatorRole;
}

/**
 * Demo operators: one requests, one approves. The secrets of their authenticators are in
 * `demo.json`.
 */
export const demoOperators = {
  operator: { email: 'operator@tamga.example', password: 'tamga demo 1', role: 'SUPER_ADMIN' },
  approver: { email: 'approver@tamga.example', password: 'tamga demo 2', role: 'SECURITY_OFFICER' },
} as const satisfies Readonly<Record<string, DemoOperatorAccount>>;

/** Content of docs/demo-accounts.md. */
export function demoAccountsPage(): string {
  return [
    '# Demo accounts',
    '',
    '`./tamga up` enrols these citizens. Each answers every request by itself, always in the same way. PIN1 is `1234`, PIN2 is `12345`.',
    '`.tamga/demo.env` sets the variables. `./tamga docs` generates this page from `main/cli/demo.ts`.',
    '',
    '| Citizen | Civil id | Registration number | Key | Outcome | Variable |',
    '| --- | --- | --- | --- | --- | --- |',
    ...demoCitizens.map(
      ({ name, civilId, regNo, keyType, outcome, variable }) =>
        `| ${name} | ${civilId} | ${regNo} | ${keyType} | \`${outcome}\` | \`$${variable}\` |`,
    ),
    '',
    'The citizen with the outcome `TIMEOUT` never answers. The session ends when its time is up (`SVC_SESSION_WINDOW`, 150 s).',
    'Push limits do not apply to these citizens (`SVC_PUSH_TEST_CITIZENS`). You may ask a citizen again at once after a refusal.',
    '',
    'These citizens have no phone yet. Enrol one with `./tamga phone`, or in the browser at `/phone`:',
    '',
    '| Citizen | Civil id | Card number | Birth date |',
    '| --- | --- | --- | --- |',
    ...spareCitizens.map(
      ({ name, identifier, cardNumber, birthDate }) =>
        `| ${name} | ${identifier} | ${cardNumber} | ${birthDate} |`,
    ),
    '',
    `${citizenWithLostPhones.name} (${citizenWithLostPhones.civilId}) loses a phone each time the demo runs, to show a revocation under four eyes.`,
    '',
    "These operators may use `/v3/admin` and the console. The secrets of their authenticators (SHA-1, six digits, 30 s) are in `.tamga/demo.json`, under the operator's name:",
    '',
    '| Name | E-mail | Password | Role |',
    '| --- | --- | --- | --- |',
    ...Object.entries(demoOperators).map(
      ([name, { email, password, role }]) =>
        `| \`${name}\` | ${email} | \`${password}\` | ${role} |`,
    ),
    '',
  ].join('\n');
}
