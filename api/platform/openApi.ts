import { STATUS_CODES } from 'node:http';
import type { z } from 'zod';
import { problemAnswer } from '../schemas/answers.ts';
import { refusalEnvelope } from '../schemas/envelope.ts';
import type { Route, SecurityScheme } from '../http/route.ts';
import {
  type Components,
  createComponents,
  type Json,
  type Part,
  withDiscriminators,
} from './openApiSchemas.ts';

/** Service-wide part of the document. */
export interface ServiceDescription {
  readonly title: string;
  readonly version: string;
}

/** Surfaces of the service by path; the first match counts. */
const surfaces: readonly {
  readonly tag: string;
  readonly description: string;
  readonly pattern: RegExp;
}[] = [
  { tag: 'operator', description: 'Operator API', pattern: /^\/(v3|api\/v1)\/admin\// },
  {
    tag: 'device',
    description: 'Phones: enrolment, inbox, answers',
    pattern: /^\/v3\/device\b/,
  },
  {
    tag: 'kyc',
    description: 'Identity verification, before a phone is enrolled',
    pattern: /^\/v3\/kyc\//,
  },
  { tag: 'seal', description: 'Seals of organizations', pattern: /^\/v3\/seal\// },
  {
    tag: 'organization',
    description: 'Representation of organizations',
    pattern: /^\/v3\/organization\//,
  },
  {
    tag: 'person',
    description: "A person's PKI, for relying parties with PKI_READ",
    pattern: /^\/v3\/(person|certificates|devices|rp)\//,
  },
  {
    tag: 'rp',
    description: 'Relying-party API: sessions, signatures, stamps',
    pattern: /^\/v3\/(authentication|signature|session)\b/,
  },
  {
    tag: 'pki',
    description: 'Certificate status, revocation lists, timestamps',
    pattern: /^\/(ocsp|crl|ca|tsa)\b/,
  },
  {
    tag: 'assistant',
    description: 'The assistant: chat, speech, translation, knowledge base',
    pattern: /^\/(api\/v1\/(public\/|admin\/)?ai\/|public\/ai\/|assistant\b)/,
  },
  {
    tag: 'documents',
    description: 'Documents of organizations, their files and signatures',
    pattern: /^\/(api\/v1\/)?documents\b/,
  },
  { tag: 'verify', description: 'Public verification pages', pattern: /^\/verify\// },
  { tag: 'platform', description: 'The service itself', pattern: /^\// },
];

const securitySchemes: Readonly<Record<SecurityScheme, Json>> = {
  apiSecret: {
    type: 'http',
    scheme: 'bearer',
    description:
      "A relying party's API secret (rp_sk_…). Some registrations also require a client certificate or an allowed address.",
  },
  deviceProof: {
    type: 'apiKey',
    in: 'header',
    name: 'DPoP',
    description:
      "A compact JWS over this call, signed by the phone's transport key and valid once.",
  },
  verificationSecret: {
    type: 'http',
    scheme: 'bearer',
    description: 'The secret from the start of an identity verification.',
  },
  operatorSession: {
    type: 'http',
    scheme: 'bearer',
    description: "An operator's token with the scope session.",
  },
  operatorMfa: {
    type: 'http',
    scheme: 'bearer',
    description:
      "An operator's token with the scope mfa, for the step between the password and the code.",
  },
  adminKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Admin-Key',
    description: 'The break-glass key.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token (JWT, HS256) of an issuer that this installation trusts.',
  },
};

/**
 * Describes a surface in OpenAPI 3.1 from its routes: the same schemas validate and document.
 *
 * @param routes one of each method and path
 */
export function openApiDocument(routes: readonly Route[], service: ServiceDescription): object {
  const schemas = createComponents(routes.flatMap(partsOf));
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = (paths[addressOf(route)] ??= {});
    path[route.method.toLowerCase()] = operation(route, schemas);
  }
  const used = new Set(routes.map((route) => surfaceOf(route)));
  return withDiscriminators({
    openapi: '3.1.0',
    info: {
      ...service,
      description:
        'Every response has X-Request-Id and X-Trace-Id. A request may set X-Request-Id, and its traceparent determines X-Trace-Id. Every error response has the body Problem, or AssistantRefusal from the assistant.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: surfaces
      .filter(({ tag }) => used.has(tag))
      .map(({ tag, description }) => ({ name: tag, description })),
    paths,
    components: {
      securitySchemes,
      responses: {
        Problem: {
          description: 'The request was refused, or it failed',
          headers: commonHeaders,
          content: { 'application/problem+json': { schema: schemas.of(problemAnswer, 'output') } },
        },
        ...(routes.some(({ refusedAs }) => refusedAs !== undefined) && {
          AssistantRefusal: {
            description: 'The request was refused, or it failed',
            headers: commonHeaders,
            content: { 'application/json': { schema: schemas.of(refusalEnvelope, 'output') } },
          },
        }),
      },
      schemas: schemas.all(),
    },
  });
}

/** Bodies and answers of a route that a schema describes. */
function partsOf({ name, body, response = {} }: Route): readonly Part[] {
  const answers = Object.entries(response).flatMap(([status, shape]) =>
    shape === null || typeof shape === 'string'
      ? []
      : [{ operation: name, part: status, schema: shape, io: 'output' } as const],
  );
  return body === null
    ? answers
    : [{ operation: name, part: 'body', schema: body, io: 'input' }, ...answers];
}

const commonHeaders = {
  'X-Request-Id': { schema: { type: 'string' } },
  'X-Trace-Id': { schema: { type: 'string' } },
};

function surfaceOf({ path }: Route): string {
  return surfaces.find(({ pattern }) => pattern.test(path))?.tag ?? '';
}

function addressOf(route: Route): string {
  return describedPath(route).replaceAll(/[:*](\w+)/g, '{$1}');
}

/** Names the hash of an asset's content instead of showing it: each build of a page has another. */
function describedPath({ path }: Route): string {
  return path.replace(/\.[0-9a-f]{16}(?=\.(?:css|js)$)/, '.:hash');
}

function operation(route: Route, schemas: Components): Json {
  const { guard, name, summary } = route;
  const refusal = route.refusedAs === undefined ? problem : envelope;
  return {
    operationId: name,
    tags: [surfaceOf(route)],
    summary,
    description: `Caller: ${guard.description}.`,
    ...deprecation(route),
    security: (guard.security ?? []).map((scheme) => ({ [scheme]: [] })),
    parameters: [...pathParameters(route, schemas), ...queryParameters(route, schemas)],
    ...requestBody(route, schemas),
    responses: { ...successes(route, schemas), default: refusal },
  };
}

function deprecation({ deprecated }: Route): Json {
  if (deprecated === undefined) return {};
  const { since, sunset, successor } = deprecated;
  return {
    deprecated: true,
    'x-deprecation': {
      since,
      ...(sunset !== null && { sunset }),
      ...(successor !== null && { successor }),
    },
  };
}

const problem = { $ref: '#/components/responses/Problem' };
const envelope = { $ref: '#/components/responses/AssistantRefusal' };

function pathParameters(route: Route, schemas: Components): readonly Json[] {
  const { properties = {} } = schemas.of(route.params, 'input') as ObjectSchema;
  return Array.from(describedPath(route).matchAll(/[:*](\w+)/g), ([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: properties[name] ?? { type: 'string' },
  }));
}

function queryParameters({ query }: Route, schemas: Components): readonly Json[] {
  const { properties = {}, required = [] } = schemas.of(query, 'input') as ObjectSchema;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

function requestBody({ name, body, bodyType }: Route, schemas: Components): Json {
  if (body === null && bodyType === undefined) return {};
  const content =
    body === null
      ? { [bodyType ?? '']: bytes }
      : {
          [bodyType ?? 'application/json']: {
            schema: schemas.named({ operation: name, part: 'body', schema: body, io: 'input' }),
          },
        };
  const isRequired = body?.safeParse(undefined).success !== true;
  return { requestBody: { required: isRequired, content } };
}

const bytes = { schema: { type: 'string', format: 'binary' } };

function successes({ name, response = { 200: null } }: Route, schemas: Components): Json {
  return Object.fromEntries(
    Object.entries(response).map(([status, shape]) => [
      status,
      {
        description: STATUS_CODES[status] ?? status,
        headers: commonHeaders,
        ...(shape === null ? {} : { content: contentOf(shape, name, status, schemas) }),
      },
    ]),
  );
}

function contentOf(
  shape: z.ZodType | string,
  ...[operation, part, schemas]: [string, string, Components]
): Json {
  if (typeof shape === 'string') {
    return { [shape]: shape.startsWith('text/') ? { schema: { type: 'string' } } : bytes };
  }
  const schema = schemas.named({ operation, part, schema: shape, io: 'output' });
  return { 'application/json': { schema } };
}
