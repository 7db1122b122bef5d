import { call } from '../../../main/drill/callers.ts';
import type { SignedInOperator } from '../worlds/operatorWorld.ts';
import { approvalSeconds, type EndsWorld, toldBy } from './endsWorld.ts';
import { casesOf, type EndRows, heldBy } from './rows.ts';

/** A token of an operator who is signed in. */
interface OperatorThing {
  readonly operator: SignedInOperator;
  readonly token: string;
}

const MINUTE_MS = 60_000;
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** Operators' tokens, cookies, rights and requests. */
export const operatorEnds: EndRows = (world) => {
  const password = 'another password';

  /** Commands that end an operator’s session before it expires. */
  const sessionEnds = {
    signingOut: ({ operator }: OperatorThing) => operator.call('POST', '/auth/logout'),
    passwordOfOthers: ({ operator }: OperatorThing) =>
      world().here.operators.reset(operator.email, password),
    passwordElsewhere: async ({ operator }: OperatorThing) => {
      const another = await world().operators.signIn(operator);
      const change = { currentPassword: operator.password, newPassword: password };
      return another.call('POST', '/auth/password', change);
    },
    resetAuthenticator: ({ operator }: OperatorThing) =>
      world().decided('POST', `/admins/${operator.id}/reset-second-factor`),
    deactivation: ({ operator }: OperatorThing) =>
      world().decided('POST', `/admins/${operator.id}/deactivate`),
  };
  const later = (ms: number) => () => world().later(ms);

  async function signedIn(): Promise<OperatorThing> {
    const operator = await world().operators.signedIn('SUPER_ADMIN');
    return { operator, token: operator.token };
  }
  const account = (origin: string, { token }: OperatorThing) =>
    call(`${origin}/v3/admin/account`, bearer(token)).then(toldBy);

  return {
    "Operator's session": [
      ...casesOf({
        issue: signedIn,
        use: (thing) => account(world().there.origin, thing),
        refused: /^401 UNAUTHENTICATED$/,
        ends: {
          'signing out': [sessionEnds.signingOut],
          'another password, set by others or, for the other sessions, by the operator': [
            sessionEnds.passwordOfOthers,
            sessionEnds.passwordElsewhere,
          ],
          'reset of the authenticator': [sessionEnds.resetAuthenticator],
          deactivation: [sessionEnds.deactivation],
          'an hour': [later(60 * MINUTE_MS)],
        },
      }),
      heldBy(
        'another token secret',
        'application/operatorTokens',
        'are read by every process with the secret, and by no other',
      ),
    ],
    "Operator's token of the second step": casesOf({
      issue: async () => {
        const { operators } = world();
        const added = await operators.add('SUPPORT');
        const first = await operators.login(added);
        added.secret = String(first.body['secret']);
        const token = String(first.body['token']);
        const second = await operators.mfa(token, operators.nextCode(added));
        const session = String(second.body['token']);
        const operator: SignedInOperator = {
          ...added,
          token: session,
          call: (method, path, body) =>
            call(`${world().here.origin}/v3/admin${path}`, {
              method,
              ...bearer(session),
              ...(body !== undefined && { body }),
            }),
        };
        return { operator, token };
      },
      // A wrong code is judged for the bearer of a good token only.
      use: ({ token }) =>
        call(`${world().there.origin}/v3/admin/auth/mfa`, {
          method: 'POST',
          ...bearer(token),
          body: { code: '000000' },
        }).then(toldBy),
      works: '401 SECOND_FACTOR_WRONG',
      refused: /^401 UNAUTHENTICATED$/,
      ends: {
        'whatever ends its session': Object.values(sessionEnds),
        'five minutes': [later(5 * MINUTE_MS)],
      },
    }),
    "Operator's access token (assistant)": casesOf({
      issue: async () => {
        const { operator } = await signedIn();
        const { body } = await operator.call('POST', '/auth/access-token');
        return { operator, token: String(body['token']) };
      },
      use: ({ token }) =>
        call(`${world().there.origin}/documents?limit=1`, bearer(token)).then(toldBy),
      refused: /^401 UNAUTHENTICATED$/,
      ends: {
        'whatever ends its session': Object.values(sessionEnds),
        'a quarter of an hour': [later(15 * MINUTE_MS + 5000)],
      },
    }),
    'Cookies of the console': casesOf({
      issue: signedIn,
      use: (thing) => consoleCall(world(), thing, 'GET', '/account'),
      refused: /^401 /,
      ends: {
        'signing out': [(thing) => consoleCall(world(), thing, 'POST', '/auth/logout')],
        'the end of the token in them': Object.values(sessionEnds),
      },
    }),
    "An operator's right": casesOf({
      issue: signedIn,
      use: ({ token }) =>
        call(`${world().there.origin}/v3/admin/admins`, bearer(token)).then(toldBy),
      refused: /^403 PERMISSION_DENIED$/,
      ends: {
        'another role': [
          ({ operator }) => world().decided('PATCH', `/admins/${operator.id}`, { role: 'SUPPORT' }),
        ],
      },
    }),
    'Request for approval': casesOf({
      issue: async () => {
        const { operator } = await signedIn();
        const { relyingPartyId } = await world().relyingParty(`Asked about ${world().next()}`);
        const path = `/relying-parties/${relyingPartyId}/deactivate`;
        const { body } = await operator.call('POST', path, {});
        return { operator, relyingPartyId, id: String(body['id']) };
      },
      use: ({ id }) =>
        call(`${world().there.origin}/v3/admin/approvals/${id}/approve`, {
          method: 'POST',
          ...bearer(world().approver.token),
          body: {},
        }).then(toldBy),
      refused: /^(409 APPROVAL_(DECIDED|STALE)|410 APPROVAL_EXPIRED)$/,
      once: true,
      ends: {
        'a decision': [
          ({ id }) => world().approver.call('POST', `/approvals/${id}/reject`, { reason: 'No' }),
        ],
        'a change of what it is about': [
          ({ relyingPartyId }) => world().here.deactivateRelyingParty(relyingPartyId),
        ],
        'a lost right of who asked': [
          ({ operator }) => world().decided('PATCH', `/admins/${operator.id}`, { role: 'AUDITOR' }),
          ({ operator }) => world().decided('POST', `/admins/${operator.id}/deactivate`),
        ],
        'its time': [later(approvalSeconds * 1000)],
      },
    }),
    'New secret, until who asked collects it': casesOf({
      issue: async () => {
        const { operator } = await signedIn();
        const { body } = await operator.call('POST', '/relying-parties', {
          relyingPartyName: `Collected ${world().next()}`,
          permissions: ['SEAL'],
        });
        const id = String(body['id']);
        await world().approver.call('POST', `/approvals/${id}/approve`, {});
        return { operator, id };
      },
      use: ({ id, operator: { token } }) =>
        call(`${world().there.origin}/v3/admin/approvals/${id}/collect`, {
          method: 'POST',
          ...bearer(token),
        }).then(toldBy),
      refused: /^(409 CONFLICT|403 PERMISSION_DENIED|410 APPROVAL_EXPIRED)$/,
      once: true,
      ends: {
        'one use': [({ id, operator }) => operator.call('POST', `/approvals/${id}/collect`)],
        'a lost right of who asked': [
          ({ operator }) => world().decided('PATCH', `/admins/${operator.id}`, { role: 'AUDITOR' }),
        ],
        'its time': [later(approvalSeconds * 1000)],
      },
    }),
  };
};

/** A call of a page of the console, with the session in its cookie. */
function consoleCall(
  { here }: EndsWorld,
  { token }: OperatorThing,
  method: 'GET' | 'POST',
  path: string,
): Promise<string> {
  const origin = here.consoleOrigin ?? '';
  const headers = { cookie: `admin_session=${token}`, origin };
  return call(`${origin}/v3/admin${path}`, { method, headers }).then(toldBy);
}
