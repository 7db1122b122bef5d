import { expect } from 'chai';
import { z } from 'zod';
import type { Route } from '../../api/http/route.ts';
import { holdsPersonalData } from '../../api/schemas/personalData.ts';
import { hasCapability, operatorRoles } from '../../domain/operator/capabilities.ts';
import type { SignedInOperator } from '../support/worlds/operatorWorld.ts';
import { registerClient } from '../support/oidc/oidcLogin.ts';
import { type PopulatedWorld, startPopulatedWorld } from '../support/worlds/populatedWorld.ts';
import { masterKey, operatorTokenSecret } from '../support/installation/serviceProcess.ts';

/** Names under which a secret, a part of one or a whole certificate could be answered. */
const secretNames =
  /secret|token|passw|api_?key|private|handle|label|share|modulus|^pin|hash|otpauth|cert(ificate)?$|^value$|pem$|^der$|sealed|credential|push/i;

/** Places where such a name is allowed, and the reason. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  // Given once, to whom they are of: the specification says so.
  'admin.auth.login': ['token', 'secret', 'otpauthUri'],
  'admin.auth.mfa': ['token'],
  'admin.auth.accessToken': ['token'],
  'admin.relyingParties.register': ['apiSecret'],
  'admin.relyingParties.rotateSecret': ['apiSecret'],
  'admin.oidcClients.register': ['clientSecret'],
  'admin.oidcClients.rotateSecret': ['clientSecret'],
  'admin.approvals.collect': ['apiSecret', 'clientSecret'],
  // The citizen's signature, which the relying party has; the name of a hash.
  'admin.session.read': ['value', 'hashType'],
  // Certificates that signatures come with, which everybody may see.
  'admin.certificate.body': ['certificate'],
  // Public: heads and proofs of the tree over the log.
  'admin.audit.treeKeys': ['certificate', 'rootCertificate'],
  'admin.audit.treeHead': ['rootHash'],
  'admin.audit.signTreeHead': ['rootHash'],
  'admin.audit.inclusionProof': ['leafHash', 'rootHash'],
  'admin.audit.consistencyProof': ['firstRootHash', 'secondRootHash'],
};

/** The hash of a command that is shown itself, the age of a secret, and the life of tokens. */
const shownAnyway = ['commandHash', 'secretIssuedAt', 'accessTokenSeconds'];

/** Fields whose content the audit rule of each event decides; a test of the audit rules keeps secrets out. */
const openByNature =
  /^admin\.(audit\.(list\.items\[\]|read)|user\.read\.audit\[\])\.(details|before|after)$/;

/** Secrets in exported events: only the hash of 256 random bits. */
const inRawEvents = /^hash of the API secret/;

type Schema = Readonly<Record<string, unknown>>;

/** Faults of a schema: open objects, and names that could be secrets. @param name of the route */
function faultsOf(name: string, schema: z.ZodType): readonly string[] {
  const faults: string[] = [];
  const root = z.toJSONSchema(schema, { unrepresentable: 'any' }) as Schema;
  const seen = new Set<string>();

  const isKnown = (member: string) => [...(allowed[name] ?? []), ...shownAnyway].includes(member);

  function visitMembers(properties: Readonly<Record<string, Schema>>, path: string): void {
    for (const [member, each] of Object.entries(properties)) {
      const at = `${path}.${member}`;
      if (secretNames.test(member) && !isHarmless(each) && !isKnown(member)) {
        faults.push(`${at} has the name of a secret`);
      }
      visit(each, at);
    }
  }

  function visit(node: Schema, path: string): void {
    const { $ref: reference, properties = {}, items } = node;
    if (typeof reference === 'string') {
      if (seen.has(reference)) return;
      seen.add(reference);
      const definitions = root['$defs'] as Readonly<Record<string, Schema>>;
      visit(definitions[reference.replace('#/$defs/', '')] ?? {}, path);
      return;
    }
    const fault = openness(node);
    if (fault !== null && !openByNature.test(path)) faults.push(`${path} ${fault}`);
    for (const kind of ['anyOf', 'oneOf', 'allOf']) {
      for (const each of (node[kind] ?? []) as readonly Schema[]) visit(each, path);
    }
    visitMembers(properties as Readonly<Record<string, Schema>>, path);
    if (items !== undefined) visit(items as Schema, `${path}[]`);
  }

  visit(root, name);
  return faults;
}

/** A yes or no tells no secret, nor does one of a few words, nor do members that are looked at one by one. */
function isHarmless(schema: Schema): boolean {
  const options = schema['anyOf'] as readonly Schema[] | undefined;
  return (
    options?.every((each) => each['type'] === 'null' || isHarmless(each)) === true ||
    schema['type'] === 'boolean' ||
    'enum' in schema ||
    'const' in schema ||
    'properties' in schema ||
    '$ref' in schema ||
    (schema['type'] === 'array' && isHarmless(schema['items'] as Schema))
  );
}

/** Place where a schema is open; null: nowhere. */
function openness(schema: Schema): string | null {
  const isObject = schema['type'] === 'object' || 'properties' in schema;
  if (isObject) return schema['additionalProperties'] === false ? null : 'is open';
  const says = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'].some((key) => key in schema);
  return says ? null : 'may be anything';
}

describe('What the operator API answers', function () {
  this.timeout(120_000);
  let world: PopulatedWorld;
  let operator: SignedInOperator;
  let approvalId: string;
  let oidcClientId: string;
  const secrets = new Map<string, string>();

  before(async () => {
    world = await startPopulatedWorld({
      SVC_PUSH_GATEWAY_TOKEN: 'a token of the push gateway',
      SVC_ADMIN_REQUIRE_4EYES: 'true',
    });
    operator = await world.operators.signedIn('SUPER_ADMIN');
    await operator.call('POST', '/audit/tree-head');
    const asked = await operator.call('POST', `/certificates/${world.serial}/revoke`, {
      reason: 4,
    });
    approvalId = String(asked.body['id']);
    const { clientId, clientSecret } = await registerClient(world);
    oidcClientId = clientId;
    secrets.set('secret of the OpenID Connect client', clientSecret ?? '');
    for (const [what, secret] of world.secrets) secrets.set(what, secret);
    secrets.set('master key', masterKey);
    secrets.set('secret of tokens', operatorTokenSecret);
    secrets.set('token of the push gateway', 'a token of the push gateway');
    secrets.set('operator password', operator.password);
    secrets.set('operator authenticator', operator.secret ?? '');
    secrets.set('operator token', operator.token);
  });

  after(() => world.stop());

  const operatorRoutes = () =>
    world.service.routes.filter(({ path }) => path.startsWith('/v3/admin/'));

  it('is closed by its schemas, none of which has room for a secret', () => {
    const faults = operatorRoutes().flatMap(({ name, response = {} }) =>
      Object.values(response).flatMap((shape) =>
        shape === null || typeof shape === 'string' ? [] : faultsOf(name, shape),
      ),
    );
    expect(faults).to.deep.equal([]);
  });

  it('names citizens in answers that only roles read who may read citizens', () => {
    const named = operatorRoutes().filter(({ response = {} }) =>
      Object.values(response).some(holdsPersonalData),
    );
    expect(named.map(({ name }) => name)).to.include('admin.names.find');
    expect(named.length).to.be.greaterThan(5);
    for (const { name, guard } of named) {
      const readers = operatorRoles.filter(
        (role) => guard.capability === undefined || hasCapability(role, guard.capability),
      );
      expect(
        readers.filter((role) => !hasCapability(role, 'user:read')),
        name,
      ).to.deep.equal([]);
    }
  });

  it('would be found out: an open object, one of anything, a name', () => {
    const inner = z.strictObject({ apiSecret: z.string() }).meta({ id: 'Inner' });
    const faults = [
      z.looseObject({ a: z.string() }),
      z.record(z.string(), z.string()),
      z.strictObject({ details: z.unknown() }),
      z.strictObject({ list: z.array(z.strictObject({ keyLabel: z.string().nullable() })) }),
      z.strictObject({ one: inner, other: z.union([inner, z.null()]) }),
    ].map((schema) => faultsOf('x', schema));
    expect(faults).to.deep.equal([
      ['x is open'],
      ['x is open'],
      ['x.details may be anything'],
      ['x.list[].keyLabel has the name of a secret'],
      ['x.one.apiSecret has the name of a secret'],
    ]);
    expect(faultsOf('x', z.strictObject({ masterKeyLabel: z.boolean() }))).to.deep.equal([]);
  });

  it('holds no secret of a world in which everything has happened once', async () => {
    const held: string[] = [];
    const unanswered: string[] = [];
    const readRoutes = operatorRoutes().filter(({ method }) => method === 'GET');
    const asked = await Promise.all(
      readRoutes.map(async (route) => (await pathsTo(route)).map((path) => ({ route, path }))),
    );
    for (const { route, path } of asked.flat()) {
      const { status, text } = await get(path);
      // Nothing is restored here, so there is no report.
      const isAnswered = status === 200 || route.name === 'admin.restored.report';
      if (!isAnswered) unanswered.push(`${path} ${status}`);
      const isRaw = route.name === 'admin.audit.events';
      const found = [...secrets].filter(
        ([what, secret]) =>
          text.includes(secret) &&
          !(isRaw && inRawEvents.test(what)) &&
          allowed[route.name]?.includes(what) !== true,
      );
      held.push(...found.map(([what]) => `${what} at ${route.name}`));
    }
    expect(held).to.deep.equal([]);
    expect(unanswered).to.deep.equal([]);
    expect([...secrets.values()].every((secret) => secret.length > 7)).to.equal(true);
  });

  async function get(path: string) {
    const answer = await fetch(world.origin + path, {
      headers: { authorization: `Bearer ${operator.token}` },
    });
    return { status: answer.status, text: await answer.text() };
  }

  /** Addresses that show something, of each kind there is. */
  async function pathsTo({ path }: Route): Promise<readonly string[]> {
    const { relyingPartyId, phones, sessionId, register } = world;
    const { serial, revokedSerial, sealingParty } = world;
    const { ok, refusing } = phones;
    const root = path.split('/:')[0] ?? path;
    const known: Readonly<Record<string, readonly string[]>> = {
      '/v3/admin/users': [ok, refusing].map(({ citizen }) => `PNOMN-${citizen.civilId}`),
      '/v3/admin/devices': [ok.documentNumber, refusing.documentNumber],
      '/v3/admin/certificates': [serial, revokedSerial],
      '/v3/admin/sessions': [sessionId],
      '/v3/admin/relying-parties': [relyingPartyId, sealingParty.relyingPartyId],
      '/v3/admin/oidc-clients': [oidcClientId],
      '/v3/admin/approvals': [approvalId],
      '/v3/admin/organizations': [`NTRMN-${register}`],
    };
    const events = async () => {
      const { text } = await get('/v3/admin/audit?limit=200');
      const { items } = JSON.parse(text) as { items: { eventId: string }[] };
      return items.map(({ eventId }) => eventId);
    };
    if (!path.includes(':')) return [`${path}${queries[path] ?? ''}`];
    const values = root === '/v3/admin/audit' ? await events() : (known[root] ?? []);
    return values.map((value) => path.replace(/:\w+/, value));
  }
});

/** Required request fields of some routes. */
const queries: Readonly<Record<string, string>> = {
  '/v3/admin/names': '?q=Tamga',
  '/v3/admin/audit/proof/inclusion': '?index=0',
  '/v3/admin/audit/proof/consistency': '?first=1',
};
