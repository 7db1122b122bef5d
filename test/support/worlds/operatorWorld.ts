import { randomUUID } from 'node:crypto';
import { HOTP, Secret } from 'otpauth';
import type { OperatorsOnTheMachine } from '../../../main/composition/operators.ts';
import type { OperatorRole } from '../../../domain/operator/capabilities.ts';
import { type Answer, call, type CallOptions } from '../../../main/drill/callers.ts';

const STEP_MS = 30_000;

/** An operator as a person has one in mind: e-mail, password, authenticator. */
export interface TestOperator {
  readonly id: string;
  readonly email: string;
  readonly role: OperatorRole;
  password: string;
  /** The authenticator's secret, base32; null before the first sign-in. */
  secret: string | null;
}

/** Details of a new operator, beside the role. */
interface NewOperator {
  readonly email?: string;
  readonly mustChangePassword?: boolean;
}

/** An operator with a session. */
export interface SignedInOperator extends TestOperator {
  readonly token: string;
  /** Calls the operator API with the session. @param path below `/v3/admin` */
  call(method: Method, path: string, body?: object): Promise<Answer>;
}

export interface OperatorWorld {
  /** Adds an operator of this role and signs them in, with a new authenticator: all that most tests need. */
  signedIn(role: OperatorRole): Promise<SignedInOperator>;
  /** Adds an operator, who has not signed in yet. */
  add(role: OperatorRole, fields?: NewOperator): Promise<TestOperator>;
  /** Both steps, enrolling an authenticator where there is none. Three times in 30 s at most: a code counts once. */
  signIn(operator: TestOperator): Promise<SignedInOperator>;
  /** The first step alone. */
  login(credentials: { readonly email: string; readonly password: string }): Promise<Answer>;
  /** The second step alone. */
  mfa(token: string, code: string): Promise<Answer>;
  /** A code of the operator's authenticator not given to anybody yet; it counts for 30 s at least. */
  nextCode(operator: TestOperator): string;
  /** The oldest such code that counts, which leaves two more; 30 s may end on its way, so that it needs a second try. */
  oldestCode(operator: TestOperator): string;
  /** Calls the operator API as whoever adds operators here. @param path below `/v3/admin` */
  call(method: Method, path: string, body?: object): Promise<Answer>;
}

type Method = NonNullable<CallOptions['method']>;

/**
 * Operators of a running service, by HTTP alone. Their sessions are real: password, authenticator, token.
 *
 * ```ts
 * const demo = await startDemoInstallation();          // or createServiceProcess(…): anything with commonSettings()
 * const operators = openOperatorWorld(demo.service.origin);
 * const auditor = await operators.signedIn('AUDITOR'); // one per role and test file: a sign-in costs a second of hashing
 * const { status, body } = await auditor.call('GET', '/users?q=bat');
 * ```
 *
 * @param adminKey the break-glass key, where the service has one; without it the service must be in the development profile
 * @param machine adds the operators, so that they approve at once: those that the key added depend on everybody
 */
export function openOperatorWorld(
  origin: string,
  adminKey?: string,
  machine?: Pick<OperatorsOnTheMachine, 'add'>,
): OperatorWorld {
  const lastCounters = new Map<string, number>();
  const keyHeaders = adminKey === undefined ? {} : { 'x-admin-key': adminKey };

  const request = (
    method: Method,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: object,
  ) =>
    call(`${origin}/v3/admin${path}`, { method, headers, ...(body === undefined ? {} : { body }) });

  const login: OperatorWorld['login'] = ({ email, password }) =>
    request('POST', '/auth/login', {}, { email, password });
  const mfa: OperatorWorld['mfa'] = (token, code) =>
    request('POST', '/auth/mfa', { authorization: `Bearer ${token}` }, { code });

  const currentStep = () => Math.floor(Date.now() / STEP_MS);

  /** The code of the step, or of the first after it that was not given yet. */
  function codeFrom(step: number, { id, secret }: TestOperator): string {
    const counter = Math.max(step, (lastCounters.get(id) ?? 0) + 1);
    if (counter > currentStep() + 1) throw new Error('The codes of these 30 s are used up.');
    lastCounters.set(id, counter);
    return new HOTP({ secret: Secret.fromBase32(secret ?? '') }).generate({ counter });
  }

  const oldestCode = (operator: TestOperator) => codeFrom(currentStep() - 1, operator);

  async function signIn(operator: TestOperator): Promise<SignedInOperator> {
    const first = expectStatus(await login(operator), 200);
    if (operator.secret === null) operator.secret = String(first.body['secret']);
    const secondStep = () => mfa(String(first.body['token']), oldestCode(operator));
    let second = await secondStep();
    if (second.body['code'] === 'SECOND_FACTOR_WRONG') second = await secondStep();
    const token = String(expectStatus(second, 200).body['token']);
    const authorization = `Bearer ${token}`;
    return {
      ...operator,
      token,
      call: (method, path, body) => request(method, path, { authorization }, body),
    };
  }

  async function add(
    role: OperatorRole,
    { email, ...fields }: NewOperator = {},
  ): Promise<TestOperator> {
    const id = randomUUID();
    const wanted = { email: email ?? `${id}@tamga.example`, password: `first ${id}`, role };
    if (machine !== undefined) {
      const { operatorId } = await machine.add({ mustChangePassword: false, ...wanted, ...fields });
      return { ...wanted, id: operatorId, secret: null };
    }
    const added = await request('POST', '/admins', keyHeaders, { ...wanted, ...fields });
    return { ...wanted, id: String(expectStatus(added, 201).body['id']), secret: null };
  }

  return {
    signedIn: async (role) => signIn(await add(role)),
    add,
    signIn,
    login,
    mfa,
    oldestCode,
    nextCode: (operator) => codeFrom(currentStep(), operator),
    call: (method, path, body) => request(method, path, keyHeaders, body),
  };
}

function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new Error(`Expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
}
