import { randomBytes, X509Certificate } from 'node:crypto';
import { call } from '../../../main/drill/callers.ts';
import { registerClient } from '../oidc/oidcLogin.ts';
import { toldBy } from './endsWorld.ts';
import { sendForm } from './logins.ts';
import { casesOf, type EndRows } from './rows.ts';
import { anOrganization } from '../given/wishes.ts';

const TEN_YEARS_MS = 3653 * 24 * 3_600_000;

/** Secrets of relying parties and their clients, and certificates of organizations. */
export const partyEnds: EndRows = (world) => {
  /** An organization with a certificate, and a relying party that seals for it. */
  async function sealing() {
    const { here, relyingParty, next } = world();
    const register = String(7_100_000 + next());
    const name = `Тамга ${register}`;
    await here.organizations.register(anOrganization(register, name));
    const { relyingPartyId, apiSecret } = await relyingParty(`Sealer ${register}`);
    await here.changeSealing('allow', { relyingPartyId, register });
    await here.issueSealCertificate(register);
    const made = { register, apiSecret };
    return { ...made, serial: (await seal(here.origin, made)).serial };
  }

  async function seal(
    origin: string,
    { register, apiSecret }: { readonly register: string; readonly apiSecret: string },
  ) {
    const sealed = await call(`${origin}/v3/seal/NTRMN-${register}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiSecret}` },
      body: { digest: randomBytes(32).toString('base64') },
    });
    if (sealed.status !== 200) return { told: toldBy(sealed), serial: '' };
    const { value } = sealed.body['cert'] as { readonly value: string };
    const { serialNumber } = new X509Certificate(Buffer.from(value, 'base64'));
    return { told: '200', serial: serialNumber.toLowerCase() };
  }

  return {
    'Secret of a relying party or of a client': [
      ...casesOf({
        issue: () => world().relyingParty(`Party ${world().next()}`),
        use: ({ apiSecret }) =>
          call(`${world().there.origin}/v3/session/unknown`, {
            headers: { authorization: `Bearer ${apiSecret}` },
          }).then(toldBy),
        works: '404 SESSION_NOT_FOUND',
        refused: /^401 UNAUTHENTICATED$/,
        remembered: true,
        ends: {
          rotation: [({ relyingPartyId }) => world().here.rotateSecret(relyingPartyId)],
          deactivation: [
            ({ relyingPartyId }) => world().here.deactivateRelyingParty(relyingPartyId),
          ],
        },
      }),
      ...casesOf({
        issue: async () => {
          const { relyingPartyId } = await world().relyingParty(`Party ${world().next()}`);
          const wanted = { name: `Client ${world().next()}`, nameEn: null };
          const issued = await registerClient({ ...world().demo, relyingPartyId }, wanted);
          return { ...issued, relyingPartyId };
        },
        use: (issued) =>
          sendForm(`${world().there.origin}/oidc/introspect`, issued, { token: 'none' }).then(
            toldBy,
          ),
        refused: /^401 invalid_client$/,
        remembered: true,
        ends: {
          rotation: [({ clientId }) => world().here.openIdConnect.rotateSecret(clientId)],
          deactivation: [
            ({ clientId }) => world().here.openIdConnect.deactivate(clientId),
            ({ relyingPartyId }) => world().here.deactivateRelyingParty(relyingPartyId),
          ],
        },
      }),
    ],
    'Seal certificate': casesOf({
      issue: sealing,
      use: async (thing) => {
        const { told, serial } = await seal(world().there.origin, thing);
        return told === '200' && serial !== thing.serial ? 'another seals' : told;
      },
      refused: /^(another seals|409 [A-Z_]+)$/,
      remembered: true,
      ends: {
        'a newer one': [({ register }) => world().here.issueSealCertificate(register)],
        revocation: [({ serial }) => world().here.revokeCertificate(serial, 1)],
        'a revoked organization': [
          ({ register }) => world().here.organizations.changeStatus(register, 'revoke'),
        ],
        'a suspended organization, until it is restored': [
          ({ register }) => world().here.organizations.changeStatus(register, 'suspend'),
        ],
        expiry: [() => world().later(TEN_YEARS_MS)],
      },
      undo: {
        'a suspended organization, until it is restored': ({ register }) =>
          world().here.organizations.changeStatus(register, 'restore'),
      },
    }),
  };
};
