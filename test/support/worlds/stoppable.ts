import { demoCitizens } from '../../../main/cli/demo.ts';
import { createPhone } from '../../../apps/phone/phone.ts';
import { createMemoryPhoneStore } from '../../../apps/phone/phoneStore.ts';
import { startScriptedPhones } from '../../../apps/phone/scripted.ts';
import { type Answer, call, type CallOptions } from '../../../main/drill/callers.ts';
import { openOcspStatus } from '../installation/ocspStatus.ts';
import { discoverAs, logIn, registerClient } from '../oidc/oidcLogin.ts';
import { adminKey, type CrossAccessWorld, registers } from './crossAccessWorld.ts';
import { aParty } from '../given/wishes.ts';

/** A phone and a relying party whose rights are withdrawn. */
export interface Victim {
  /** Gives up the phone, rotates the secret. @returns the statuses of both commands */
  revoke(): Promise<readonly number[]>;
  /** Answers that take for valid what was withdrawn. */
  wrongs(): Promise<readonly string[]>;
}

/** `certStatus` good (RFC 6960 §4.2.1). */
const GOOD = 0;

/** Changes of every read model of the world, and the ids its routes are asked with. */
export async function openStoppable(world: CrossAccessWorld) {
  const { demo, parties, phones, organizations } = world;
  const { origin } = demo.service;
  const statusAt = await openOcspStatus(origin);
  const citizen = demoCitizens[2];
  if (citizen === undefined) throw new Error('The demo has no third citizen.');
  const { civilId, cardNumber, birthDate } = citizen;
  const client = await registerClient(demo);
  /** Clients nobody has agreed to yet: a consent is given once. */
  const unknownClients = await Promise.all([0, 1, 2].map(() => registerClient(demo)));
  const [held] = await demo.service.listCertificates({ civilId: phones[0].citizen.civilId });
  const listed = await asOperator('/api/v1/admin/ai/knowledge/articles');
  let turn = 0;
  let victims = 0;

  function asOperator(path: string, options: CallOptions = {}): Promise<Answer> {
    const headers = { 'x-admin-key': adminKey, ...options.headers };
    return call(origin + path, { ...options, headers });
  }

  function asParty(path: string, options: CallOptions): Promise<Answer> {
    return call(origin + path, { ...options, headers: parties[0].headers() });
  }

  async function serialsOf(): Promise<readonly string[]> {
    return (await demo.service.listCertificates({ civilId })).map(({ serial }) => serial);
  }

  async function enrol() {
    const phone = createPhone({ baseUrl: origin, store: createMemoryPhoneStore() });
    const card = { identifier: civilId, cardNumber, birthDate };
    await phone.enrol({ card, pin1: '1234', pin2: '12345' });
    return phone;
  }

  const enrolment = () =>
    statusOf(async () => {
      await enrol();
    });
  /** Commands that change a read model, by its name; `audit` is changed by all. */
  const changes: Readonly<Record<string, () => Promise<number>>> = {
    sessions: () =>
      statusOf(() =>
        asParty(`/v3/authentication/notification/etsi/${phones[0].etsi}`, {
          method: 'POST',
          body: {
            relyingPartyUUID: parties[0].id,
            relyingPartyName: parties[0].name,
            signatureProtocol: 'ACSP_V2',
            rpChallenge: Buffer.alloc(64, turn).toString('base64'),
            interactions: [{ type: 'displayTextAndPIN', displayText60: 'Тийм үү?' }],
          },
        }),
      ),
    citizens: enrolment,
    citizenSearch: enrolment,
    devices: enrolment,
    notices: enrolment,
    certificates: enrolment,
    identityVerifications: enrolment,
    organizations: () =>
      statusOf(() =>
        asOperator(`/v3/admin/organizations/NTRMN-${registers[0]}`, {
          method: 'PATCH',
          body: { name: `Байгууллага ${turn}` },
        }),
      ),
    representations: () =>
      statusOf(() =>
        asOperator(`/v3/admin/organizations/NTRMN-${registers[1]}/representatives`, {
          method: 'POST',
          body: { personEtsi: phones[0].etsi, rightType: turn % 2 === 0 ? 'MANAGER' : 'ADMIN' },
        }),
      ),
    approvals: () =>
      statusOf(async () =>
        call(`${origin}/v3/admin/relying-parties/${parties[0].id}/names`, {
          method: 'PUT',
          headers: (await world.operators[0]?.headers({ method: '', target: '', body: '' })) ?? {},
          // Other names each time: the same are refused while they wait.
          body: { aliases: [`Turn ${turn}`], otherNames: false, comment: 'A turn.' },
        }),
      ),
    assistantPrompts: () =>
      statusOf(() =>
        asOperator('/api/v1/admin/ai/prompts/scope', {
          method: 'PUT',
          body: { content: `Answer briefly, ${turn}.`, comment: 'A turn.' },
        }),
      ),
    knowledgeArticles: () =>
      statusOf(() =>
        asOperator('/api/v1/admin/ai/knowledge/articles', {
          method: 'POST',
          body: { title: `Turn ${turn}`, content: 'Tamga.', language: 'en', comment: 'A turn.' },
        }),
      ),
    // Changes a setting that no second operator approves.
    oidcClients: () =>
      statusOf(() =>
        asOperator(`/v3/admin/oidc-clients/${client.clientId}`, {
          method: 'PATCH',
          body: { postLogoutRedirectUris: [`https://portal.example.mn/${turn}`] },
        }),
      ),
    documents: () =>
      statusOf(async () =>
        call(`${origin}/documents`, {
          method: 'POST',
          headers: (await organizations[0]?.headers({ method: '', target: '', body: '' })) ?? {},
          body: { title: `Turn ${turn}`, doc_type: 'REQUEST' },
        }),
      ),
    consents: () =>
      statusOf(async () => {
        const answering = startScriptedPhones([phones[1]]);
        try {
          const unknown = unknownClients.pop();
          if (unknown === undefined) throw new Error('No client is left to agree to.');
          await logIn(await discoverAs(origin, unknown), { citizen: phones[1].citizen.civilId });
        } finally {
          await answering.stop();
        }
      }),
  };

  return {
    /** @returns the status of the command that changes the read model; null: each does */
    change: async (readModel: string): Promise<number | null> => {
      turn += 1;
      return (await changes[readModel]?.()) ?? null;
    },

    async victim(): Promise<Victim> {
      victims += 1;
      const former = await serialsOf();
      const phone = await enrol();
      const serials = (await serialsOf()).filter((serial) => !former.includes(serial));
      const { relyingPartyId, apiSecret } = await demo.service.registerRelyingParty(
        aParty(`Victim ${victims}`, ['AUTH', 'PKI_READ'], {
          callbackHosts: ['rp.example.mn'],
          requestsPerMinute: 1_000_000,
        }),
      );
      const summary = () =>
        call(`${origin}/v3/person/summary/etsi/${phones[0].etsi}`, {
          headers: { authorization: `Bearer ${apiSecret}` },
        });
      return {
        revoke: async () => [
          await statusOf(() => phone.deactivate()),
          await statusOf(() =>
            asOperator(`/v3/admin/relying-parties/${relyingPartyId}/rotate-secret`, {
              method: 'POST',
            }),
          ),
        ],
        wrongs: async () => {
          const statuses = await Promise.all(serials.map((serial) => statusAt(origin, serial)));
          const inbox = await statusOf(() => phone.inbox({ timeoutMs: 0 }));
          const { status } = await summary();
          return [
            ...(statuses.includes(GOOD) ? ['OCSP answers good.'] : []),
            ...([401, 403, 503].includes(inbox) ? [] : [`The phone is answered ${inbox}.`]),
            ...([401, 503].includes(status) ? [] : [`The former secret is answered ${status}.`]),
          ];
        },
      };
    },

    /** Parameters a route is asked with, by its name. */
    params(route: string): Readonly<Record<string, string>> {
      const id = idOf(route);
      return {
        etsi: route.includes('organizations') ? `NTRMN-${registers[0]}` : phones[0].etsi,
        personEtsi: phones[0].etsi,
        orgEtsi: `NTRMN-${registers[0]}`,
        documentNumber: phones[0].documentNumber,
        serial: held?.serial ?? '',
        sessionId: world.signed,
        verificationId: world.applicants[0].verificationId,
        clientId: client.clientId,
        prompt: 'scope',
        ...(id !== undefined && { id }),
      };
    },
  };

  function idOf(route: string): string | undefined {
    if (/relyingParties|subsystems/.test(route)) return parties[0].id;
    if (route.includes('documents')) return world.document;
    if (route.includes('approvals')) return world.approval;
    if (route.includes('articles')) {
      const { result } = listed.body as { result?: readonly { readonly id: string }[] };
      return result?.[0]?.id;
    }
    return undefined;
  }
}

/** Status of an answer, or of an error that has one. @throws any other */
async function statusOf(work: () => Promise<unknown>): Promise<number> {
  try {
    const answer = await work();
    return (answer as { readonly status?: number } | undefined)?.status ?? 200;
  } catch (error) {
    const { status } = error as { readonly status?: number };
    if (status === undefined) throw error;
    return status;
  }
}
