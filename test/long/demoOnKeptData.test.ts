import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { citizenWithLostPhones, demoCitizens, demoOperators } from '../../main/cli/demo.ts';
import type { DemoFile } from '../../main/cli/demoFile.ts';
import { demoPassportHolder, prepareDemoPassport } from '../../main/cli/demoPassport.ts';
import { createDemoIssuer } from '../../main/cli/demoPlatform.ts';
import { type Demo, prepareDemo } from '../../main/cli/demoPreparation.ts';
import { showAll } from '../../main/cli/demoShows.ts';
import { createPhone } from '../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../apps/phone/phoneStore.ts';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import { eventually } from '../support/assertions/eventually.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';
import { serverDirectory } from '../support/installation/serverDirectory.ts';

const [first, second, third] = demoCitizens;
if (first === undefined || second === undefined || third === undefined) throw new Error();

describe('a12: the demo, started again on kept data', function () {
  this.timeout(240_000);
  let demo: DemoInstallation;
  let kept: string;
  let run: { readonly demo: Demo; readonly said: readonly string[] };
  const issuer = createDemoIssuer({});

  before(async () => {
    kept = await serverDirectory('kept');
    const { authority } = await prepareDemoPassport(kept, new Date());
    demo = await startDemoInstallation({
      ...issuer.settings,
      SVC_KYC_PASSPORT_CSCA: authority,
      SVC_ADMIN_REQUIRE_4EYES: 'true',
      SVC_ADMIN_ATTEMPTS_PER_ADDRESS: '1000',
    });
    run = await start();
  });

  after(async () => {
    await demo.stop();
    await rm(kept, { recursive: true, force: true });
  });

  /** Does what `./tamga up` does once the service has started. */
  async function start() {
    const said: string[] = [];
    const tell = (text: string) => void said.push(text);
    const telling = { step: tell, say: tell, show: tell, warn: tell };
    const config = { SVC_DATA_DIR: demo.directory, SVC_VERIFY_BASE: undefined };
    const passport = await prepareDemoPassport(kept, new Date());
    const prepared = await prepareDemo(demo.service, config, { issuer, passport, telling });
    const phones = startScriptedPhones(prepared.phones);
    const signedPath = join(demo.directory, 'lease-signed.pdf');
    await showAll(demo.service, prepared, { passport, signedPath, telling }).finally(() =>
      phones.stop(),
    );
    return { demo: prepared, said };
  }

  /** Starts again. @returns what was left out, but for operators' codes: each counts once in half a minute */
  async function again(): Promise<readonly string[]> {
    run = await start();
    return run.said
      .filter((line) => line.includes('left out'))
      .filter((line) => !/a session of \S+@tamga\.example/.test(line));
  }

  const personOf = (civilId: string) => {
    const found = run.demo.file.citizens.find((person) => person.civilId === civilId);
    if (found === undefined) throw new Error(`${civilId} has no phone.`);
    return found;
  };
  const certificateOf = async (civilId: string, wanted: 'AUTH' | 'SIGN') => {
    const { documentNumber } = personOf(civilId);
    const found = await demo.service.listCertificates({ documentNumber });
    return found.find(({ type }) => type === wanted)?.serial ?? '';
  };
  const fileOf = (civilId: string) => join(demo.directory, 'phones', `${civilId}.json`);
  const demoJson = () => join(demo.directory, 'demo.json');
  const edit = async (change: (file: DemoFile) => object) => {
    const file = JSON.parse(await readFile(demoJson(), 'utf8')) as DemoFile;
    await writeFile(demoJson(), JSON.stringify(change(file)));
  };

  it('shows all of it the first time', () => {
    expect(run.said.filter((line) => line.includes('left out'))).to.deep.equal([]);
    expect(run.said.join('\n'))
      .to.include('Authentication of')
      .and.include('Seal of')
      .and.include('VERIFIED:')
      .and.include('approves: EXECUTED');
  });

  it('keeps all of it where nothing changed', async () => {
    const { file } = run.demo;
    expect(await again()).to.deep.equal([]);
    for (const name of ['relyingParty', 'citizens', 'organization', 'openIdConnect'] as const) {
      expect(run.demo.file[name], name).to.deep.equal(file[name]);
    }
  });

  const endings: readonly (readonly [what: string, end: () => Promise<void>])[] = [
    [
      'certificate for logins was revoked',
      async () => demo.service.revokeCertificate(await certificateOf(first.civilId, 'AUTH'), 1),
    ],
    [
      'certificate for signatures was revoked',
      async () => demo.service.revokeCertificate(await certificateOf(first.civilId, 'SIGN'), 1),
    ],
    [
      'certificate was put on hold',
      async () => demo.service.revokeCertificate(await certificateOf(first.civilId, 'SIGN'), 6),
    ],
    [
      'phone was deactivated',
      () => demo.service.deactivateDevice(personOf(first.civilId).documentNumber, 5),
    ],
    ['phone’s file is damaged', () => truncate(fileOf(first.civilId), 100)],
    ['phone’s file is of another platform', () => writeFile(fileOf(first.civilId), '{}')],
  ];
  for (const [what, end] of endings) {
    it(`enrols another phone where a citizen's ${what}`, async () => {
      const { documentNumber } = personOf(first.civilId);
      await end();
      expect(await again()).to.deep.equal([]);
      expect(run.said.join('\n')).to.include(`The phone of ${first.name} ended`);
      expect(personOf(first.civilId).documentNumber).not.to.equal(documentNumber);
    });
  }

  const relyingPartyChanges: readonly (readonly [what: string, change: () => Promise<unknown>])[] =
    [
      ['the secret was rotated', () => demo.service.rotateSecret(run.demo.file.relyingParty.uuid)],
      [
        'it was deactivated',
        () => demo.service.deactivateRelyingParty(run.demo.file.relyingParty.uuid),
      ],
      ['demo.json was deleted', () => rm(demoJson())],
      ['demo.json was cut off', () => truncate(demoJson(), 200)],
      ['demo.json is of an earlier release', () => edit(({ citizens }) => ({ citizens }))],
    ];
  for (const [what, change] of relyingPartyChanges) {
    it(`has a relying party that works where ${what}`, async () => {
      await change();
      expect(await again()).to.deep.equal([]);
    });
  }

  it('takes the relying party and the client that there are, where demo.json was deleted', async () => {
    const { relyingParty, openIdConnect } = run.demo.file;
    await rm(demoJson());
    expect(await again()).to.deep.equal([]);
    expect(run.demo.file.relyingParty.uuid).to.equal(relyingParty.uuid);
    expect(run.demo.file.relyingParty.apiSecret).not.to.equal(relyingParty.apiSecret);
    expect(run.demo.file.openIdConnect?.clientId).to.equal(openIdConnect?.clientId);
    expect(run.demo.file.openIdConnect?.clientSecret).not.to.equal(openIdConnect?.clientSecret);
  });

  it('has an OpenID Connect client that works where the secret was rotated or it was deactivated', async () => {
    const { clientId = '', clientSecret } = run.demo.file.openIdConnect ?? {};
    await demo.service.openIdConnect.rotateSecret(clientId);
    expect(await again()).to.deep.equal([]);
    expect(run.demo.file.openIdConnect?.clientId).to.equal(clientId);
    expect(run.demo.file.openIdConnect?.clientSecret).not.to.equal(clientSecret);
    await demo.service.openIdConnect.deactivate(clientId);
    expect(await again()).to.deep.equal([]);
    expect(run.demo.file.openIdConnect?.clientId).not.to.equal(clientId);
    await demo.service.openIdConnect.edit(run.demo.file.openIdConnect?.clientId ?? '', {
      redirectUris: ['https://elsewhere.example.mn/callback'],
    });
    expect(await again()).to.deep.equal([]);
    expect(run.demo.file.openIdConnect?.redirectUris).to.include('http://localhost:3000/callback');
  });

  it('issues a seal certificate where it was revoked', async () => {
    const [seal] = await demo.service.listCertificates({ holderKind: 'organization' });
    await demo.service.revokeCertificate(seal?.serial ?? '', 1);
    expect(await again()).to.deep.equal([]);
  });

  it('verifies the passport again where its holder enrolled a phone meanwhile', async () => {
    const phone = createPhone({
      baseUrl: demo.service.origin,
      store: createMemoryPhoneStore(),
    });
    const card = {
      identifier: demoPassportHolder.civilId,
      cardNumber: 'E00000010',
      birthDate: '1973-05-26',
    };
    await phone.enrol({ card, pin1: '1234', pin2: '12345' });
    expect(await again()).to.deep.equal([]);
  });

  it('leaves out what a suspended organization cannot do, and shows it again once restored', async () => {
    const register = run.demo.file.organization?.register ?? '';
    await demo.service.organizations.changeStatus(register, 'suspend');
    const leftOut = (await again()).join('\n');
    expect(leftOut).to.include('signature for an organization').and.include('seal');
    expect(run.said.join('\n')).to.include('is SUSPENDED');
    await demo.service.organizations.changeStatus(register, 'restore');
    expect(await again()).to.deep.equal([]);
  });

  it('leaves out an operator whose password was changed', async () => {
    await demo.service.operators.reset(demoOperators.approver.email, 'quite another one');
    expect((await again()).join('\n')).to.include(demoOperators.approver.email);
    expect(run.demo.file.approver).to.equal(null);
    await demo.service.operators.reset(
      demoOperators.approver.email,
      demoOperators.approver.password,
    );
    await eventually(async () => expect(await again()).to.deep.equal([]));
  });

  it('leaves out what a citizen refuses to be asked', async () => {
    const { phones, file } = run.demo;
    const { body } = await demo.create(`/authentication/notification/etsi/PNOMN-${first.civilId}`, {
      rpChallenge: Buffer.alloc(64, 7).toString('base64'),
      relyingPartyUUID: demo.relyingPartyId,
    });
    const phone = phones[0]?.phone;
    await phone?.refuse(String(body['sessionID']), 'USER_REFUSED_NOT_ME');
    expect(file.citizens[0]?.civilId).to.equal(first.civilId);
    await again();
  });

  it('F12: goes on without forgotten citizens, and others stand in their place', async () => {
    await demo.service.forgetPerson(first.civilId);
    await demo.service.forgetPerson(citizenWithLostPhones.civilId);
    await demo.service.forgetPerson(demoPassportHolder.civilId);
    expect(await again()).to.deep.equal([]);
    const { citizens, organization } = run.demo.file;
    expect(citizens.map(({ civilId }) => civilId)).to.deep.equal(
      demoCitizens.slice(1).map(({ civilId }) => civilId),
    );
    expect(organization).to.include({
      admin: `PNOMN-${second.civilId}`,
      manager: `PNOMN-${third.civilId}`,
    });
  });

  it('serves for one citizen, without an organization', async () => {
    for (const { civilId } of demoCitizens.slice(1, -1)) await demo.service.forgetPerson(civilId);
    expect((await again()).join('\n')).to.match(/^ {2}left out: the organization\.[^\n]*$/);
    expect(run.demo.file.citizens).to.have.length(1);
  });

  it('serves although the organization was revoked', async () => {
    await demo.service.organizations.changeStatus('5512345', 'revoke');
    expect(await again()).to.have.length(1);
  });
});
