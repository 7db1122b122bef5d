import { expect } from 'chai';
import * as library from '../../client/index.ts';
import type { Argument } from '../../client/arguments.ts';
import * as declared from '../../client/callArguments.ts';
import { ConfigurationError, EidClient } from '../../client/index.ts';

const config = {
  baseUrl: 'https://rp.example.mn',
  credentials: { rpUUID: 'uuid', rpName: 'name', apiSecret: 'secret' },
  fetchImpl: () => Promise.reject(new Error('An argument that is wrong was sent.')),
};

/** Values that no argument may have. */
const nonsense: readonly unknown[] = [null, 7n, Symbol('s'), Number.NaN, true, () => undefined];

/** Values that each argument may have. */
const usable: Readonly<Record<string, unknown>> = {
  interactions: [{ type: 'displayTextAndPIN', displayText60: 'Log in' }],
  digestB64: Buffer.alloc(32).toString('base64'),
  pdf: Buffer.from('%PDF-'),
  choice: { sessionId: 's', documentNumber: 'd' },
  signer: { id: 'PNOMN-1', signerRegNo: 'r' },
  prepared: { preparedId: 'p', pdf: Buffer.from('%PDF-') },
  organization: { orgRegister: '1', orgName: 'n', affiliates: [] },
  serverPollMs: undefined,
  documents: [
    { digest: Buffer.alloc(32, 1).toString('base64'), displayText60: 't' },
    { digest: Buffer.alloc(32, 2).toString('base64'), displayText60: 'u' },
  ],
  document: { title: 'Contract', docType: 'CONTRACT' },
  docType: 'CONTRACT',
  file: { bytes: Buffer.from('a'), fileName: 'a.txt' },
  policy: { allowEid: true, allowDan: false, requireNamedSigner: false },
  options: undefined,
};

const parts: Readonly<Record<string, Readonly<Record<string, readonly Argument[]>>>> = {
  auth: declared.authArguments,
  sign: declared.signArguments,
  session: declared.sessionArguments,
  stamp: declared.stampArguments,
  seal: declared.sealArguments,
  organization: declared.organizationArguments,
  personPki: declared.personPkiArguments,
  documents: declared.documentsArguments,
  directory: declared.directoryArguments,
};

async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return null;
}

async function expectNamed(call: () => unknown, name: string, value: unknown): Promise<void> {
  const error = await thrownBy(call);
  const about = `${name} as ${typeof value}`;
  expect(error, about).to.be.instanceOf(ConfigurationError);
  expect((error as Error).message, about).to.include(name);
}

describe('F17: misused arguments of the library', () => {
  const client = new EidClient(config);

  for (const [part, calls] of Object.entries(parts)) {
    it(`are named by every call of ${part}`, async () => {
      const { documents, directory } = client.withAccessToken('token');
      const all = Object.assign(Object.create(client) as EidClient, { documents, directory });
      const made = all[part as 'auth'] as unknown as Record<
        string,
        (...given: unknown[]) => Promise<unknown>
      >;
      expect(Object.keys(made)).to.have.members(Object.keys(calls));
      for (const [call, parameters] of Object.entries(calls)) {
        const right = parameters.map(([name]) => (name in usable ? usable[name] : 'text'));
        for (const [index, [name]] of parameters.entries()) {
          for (const value of nonsense) {
            const given = right.with(index, value);
            await expectNamed(() => made[call]?.(...given), `${part}.${call}: ${name}`, value);
          }
        }
      }
    });
  }

  it('are named by every exported function and class', async () => {
    const functions = Object.entries(library).filter(
      (entry): entry is [string, (...given: unknown[]) => unknown] =>
        typeof entry[1] === 'function' && !/^[A-Z]/.test(entry[0]),
    );
    expect(functions.length).to.be.greaterThan(10);
    for (const [name, made] of functions) {
      for (const value of nonsense) await expectNamed(() => made(value, value), name, value);
    }
    for (const value of nonsense) {
      await expectNamed(() => new library.ResponseValidator(value as object), 'trust', value);
      await expectNamed(() => new EidClient(value as typeof config), 'config', value);
    }
  });

  it('are named by the validator', async () => {
    const { validator } = client;
    const result = { state: 'COMPLETE' } as library.SessionResult;
    const session = { sessionId: 's', rpChallenge: '', vc: '' };
    for (const value of [...nonsense, {}]) {
      const wrong = value as never;
      await expectNamed(() => validator.validateAuth(wrong, 'c'), 'result', value);
      await expectNamed(() => validator.validateAuth(result, wrong), 'asked', value);
      await expectNamed(() => validator.validateSign(wrong, 'd'), 'result', value);
      await expectNamed(() => validator.validateSign(result, wrong), 'digestB64', value);
      await expectNamed(() => validator.validateSeal(wrong, wrong, 'o'), 'validateSeal', value);
      await expectNamed(() => validator.checkRevocation(wrong), 'certificate', value);
    }
    const error = await thrownBy(() => validator.validateSign(result, session as never));
    expect((error as Error).message).to.include('{ session }');
  });

  it('are named where an option is misspelt or a digest is no base64', async () => {
    const shown = 'Log in';
    const misspelt = { generaton: 'G2' } as object;
    const login = () => client.auth.notificationByEtsi('PNOMN-1', shown, misspelt);
    await expectNamed(login, 'options.generaton', misspelt);
    const hex = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85';
    await expectNamed(() => client.sign.digestByEtsi('PNOMN-1', hex, shown), 'digestB64', hex);
  });

  const wrongConfigs: readonly (readonly [name: string, change: object])[] = [
    ['credentials', { credentials: undefined }],
    ['credentials.rpUUID', { credentials: { ...config.credentials, rpUUID: '' } }],
    ['credentials.rpName', { credentials: { ...config.credentials, rpName: 7 } }],
    ['credentials.apiSecret', { credentials: { ...config.credentials, apiSecret: 7 } }],
    ['baseUrl', { baseUrl: {} }],
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['timeoutMs', { timeoutMs: '15000' }],
    ['generation', { generation: 'G3' }],
    ['trust.trustAnchorsPem', { trust: { trustAnchorsPem: Buffer.from('PEM') } }],
    [
      'trust.trustAnchorsPem',
      {
        trust: {
          trustAnchorsPem: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
        },
      },
    ],
    ['trust.requiredLevel', { trust: { requiredLevel: 'HIGH' } }],
    ['onCall', { onCall: 'log' }],
  ];
  for (const [name, change] of wrongConfigs) {
    it(`are named among the settings: ${name}`, () =>
      expectNamed(() => new EidClient({ ...config, ...change }), name, change));
  }

  it('are counted as the service counts: 60 characters are sent, 61 are not', async () => {
    const ask = (displayText60: string) =>
      client.auth.notificationByEtsi('id', [{ type: 'displayTextAndPIN', displayText60 }]);
    await expectNamed(() => ask('я'.repeat(61)), 'interactions[0].displayText60', '61');
    const sent = await thrownBy(() => ask('🐐'.repeat(60)));
    expect(sent).to.be.instanceOf(library.NetworkError);
    for (const wrong of [
      [],
      [{}],
      [{ type: 'displaytextAndPIN' }],
      [{ type: 'displayTextAndPIN' }],
    ]) {
      await expectNamed(
        () => client.auth.notificationByEtsi('id', wrong as never),
        'interactions',
        wrong,
      );
    }
  });

  it('are refused when the service would refuse them: texts too long, names with a path', async () => {
    const shown = [{ type: 'displayTextAndPIN', displayText60: 'Sign' }] as const;
    const digest = Buffer.alloc(32).toString('base64');
    const sign = (options: library.SignOptions) =>
      client.sign.digestByEtsi('id', digest, shown, options);
    const limits = { nonce: 30, fileName: 120, subsystem: 120, onBehalfOf: 120 } as const;
    for (const [name, most] of Object.entries(limits)) {
      await expectNamed(() => sign({ [name]: 'я'.repeat(most + 1) }), `options.${name}`, most);
      const sent = await thrownBy(() => sign({ [name]: 'я'.repeat(most) }));
      expect(sent, name).to.be.instanceOf(library.NetworkError);
    }
    await expectNamed(() => sign({ fileName: '../a.pdf' }), 'options.fileName', 'a path');
    const { documents } = client.withAccessToken('token');
    const titled = (title: string) => documents.create({ title, docType: 'CONTRACT' });
    await expectNamed(() => titled('я'.repeat(201)), 'document.title', '201');
  });

  it('c6: say nothing of Node.js for a time that is none', async () => {
    for (const value of [Number.NaN, -1, '30000', {}]) {
      const wrong = value as number;
      await expectNamed(() => client.session.poll('id', wrong), 'serverPollMs', value);
      await expectNamed(
        () => client.session.waitForResult('id', { maxWaitMs: wrong }),
        'options.maxWaitMs',
        value,
      );
    }
  });
});
