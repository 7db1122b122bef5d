import { expect } from 'chai';
import { startScriptedPhones } from '../../apps/phone/scripted.ts';
import {
  type ClientConfig,
  EidClient,
  type Generation,
  type HttpCall,
  sha256Base64,
} from '../../client/index.ts';
import { createFakePlatform, type FakePlatform } from '../../client/testing/index.ts';
import { rejection } from '../support/assertions/rejection.ts';
import {
  demoEnvironment,
  type DemoInstallation,
  type DemoPhone,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';

const interactions = [{ type: 'displayTextAndPIN', displayText60: 'Log in' }] as const;
const digest = sha256Base64('three goats');

/** Citizens of either side. */
interface Sides {
  readonly okay: string;
  readonly refusing: string;
  readonly okayPhone: string;
}

type Talk = (client: EidClient, sides: Sides) => Promise<unknown>;

async function logIn(client: EidClient, id: string, generation: Generation): Promise<void> {
  const { sessionId } = await client.auth.notificationByEtsi(id, interactions, { generation });
  await client.session.waitForResult(sessionId);
}

async function sign(client: EidClient, id: string, generation: Generation): Promise<void> {
  const options = { generation };
  const { sessionId } = await client.sign.digestByEtsi(id, digest, interactions, options);
  await client.session.waitForResult(sessionId);
}

const talks: Readonly<Record<string, Talk>> = {
  'a login of the first generation': (client, { okay }) => logIn(client, okay, 'G1'),
  'a login of the second generation': (client, { okay }) => logIn(client, okay, 'G2'),
  'a signature of the first generation': (client, { okay }) => sign(client, okay, 'G1'),
  'a signature of the second generation': (client, { okay }) => sign(client, okay, 'G2'),
  'a refusal of the first generation': (client, { refusing }) => logIn(client, refusing, 'G1'),
  'a device link': (client) =>
    client.auth.deviceLinkAnonymous(interactions, {
      generation: 'G2',
      callbackUrl: 'https://a.mn',
    }),
  'a device link of a choice': (client) => client.sign.certificateChoiceAnonymous(),
  'a certificate of a phone': (client, { okayPhone }) => client.sign.certificateOf(okayPhone),
  'an unknown person': (client) => rejection(logIn(client, 'PNOMN-999999999999', 'G1')),
  'an unknown session': (client) =>
    rejection(client.session.poll('00000000-0000-4000-8000-000000000000')),
};

/** The last response of each route. */
async function responsesOf(config: ClientConfig, sides: Sides, talk: Talk) {
  const last = new Map<string, Pick<HttpCall, 'status' | 'response'>>();
  const onCall = ({ route, status, response }: HttpCall) => last.set(route, { status, response });
  await talk(new EidClient({ ...config, onCall }), sides);
  return Object.fromEntries(last);
}

/** Places where two values are not of one shape; null is of any. */
function differences(service: unknown, fake: unknown, place = ''): readonly string[] {
  if (service === null || fake === null) return [];
  if (typeof service !== 'object' || typeof fake !== 'object') {
    return typeof service === typeof fake ? [] : [`${place}: ${typeof service}, ${typeof fake}`];
  }
  const fields = new Set([...Object.keys(service), ...Object.keys(fake)]);
  return [...fields].flatMap((field) => {
    const path = `${place}/${field}`;
    if (!(field in service)) return [`${path}: of the fake platform alone`];
    if (!(field in fake)) return [`${path}: of the service alone`];
    const [one, other] = [service, fake] as Readonly<Record<string, unknown>>[];
    return differences(one?.[field], other?.[field], path);
  });
}

describe('The fake platform of the client library, beside the service', function () {
  this.timeout(60_000);
  let demo: DemoInstallation;
  let phones: ReturnType<typeof startScriptedPhones>;
  let okay: DemoPhone;
  let refusing: DemoPhone;
  let platform: FakePlatform;
  let rpName: string;

  before(async () => {
    demo = await startDemoInstallation();
    rpName = (await demoEnvironment(demo))['RP_NAME'] ?? '';
    okay = await demo.enrol('110000000001');
    refusing = await demo.enrol('110000000003');
    phones = startScriptedPhones([okay, refusing]);
    platform = createFakePlatform();
  });

  after(async () => {
    await phones.stop();
    await demo.stop();
  });

  for (const [name, talk] of Object.entries(talks)) {
    it(`answers ${name} in the same shape`, async () => {
      const credentials = {
        rpUUID: demo.relyingPartyId,
        rpName,
        apiSecret: demo.apiSecret,
      };
      const fake = platform.addCitizen();
      const service = await responsesOf(
        { baseUrl: demo.service.origin, credentials },
        {
          okay: `PNOMN-${okay.citizen.civilId}`,
          refusing: `PNOMN-${refusing.citizen.civilId}`,
          okayPhone: okay.documentNumber,
        },
        talk,
      );
      const faked = await responsesOf(
        platform.config,
        {
          okay: fake.etsi,
          refusing: platform.citizenWho('USER_REFUSED').etsi,
          okayPhone: fake.documentNumber,
        },
        talk,
      );
      expect(differences(service, faked)).to.deep.equal([]);
    });
  }
});
