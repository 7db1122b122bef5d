import { randomBytes, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { platformPermissions } from '../../application/ports/platformTokens.ts';

/**
 * Access to the platform API (documents, directory) and the assistant, as in `.tamga/demo.json`.
 */
export interface DemoPlatform {
  readonly baseUrl: string;
  /** Bearer token, valid until `expiresAt` and for this run of the demo. */
  readonly accessToken: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

const issuer = 'urn:tamga:demo';
const role = 'demo';
const LIFE_SECONDS = 24 * 3600;

/** Demo identity provider of an organization's people: an issuer with a key of this run. */
export interface DemoIssuer {
  /** Settings of the service for this issuer. */
  readonly settings: Readonly<Record<string, string>>;
  issue(baseUrl: string): Promise<DemoPlatform>;
}

export function createDemoIssuer(environment: NodeJS.ProcessEnv): DemoIssuer {
  const key = randomBytes(32).toString('base64url');
  const beside = (name: string, value: string) => {
    const known = environment[name] ?? '';
    return { [name]: known === '' ? value : `${known},${value}` };
  };
  return {
    settings: {
      ...beside('SVC_AI_TOKEN_KEYS', `${issuer}=${key}`),
      ...beside('SVC_AI_TOKEN_TENANTS', `${issuer}=default`),
      ...beside('SVC_PLATFORM_ROLES', `${role}=${platformPermissions.join('+')}`),
    },
    async issue(baseUrl) {
      const iat = Math.floor(Date.now() / 1000);
      const exp = iat + LIFE_SECONDS;
      const claims = {
        UserID: 'demo-clerk',
        IsAdmin: false,
        RoleID: role,
        Email: 'clerk@tamga.example',
        Kind: 'access',
        jti: randomUUID(),
        iss: issuer,
        iat,
        exp,
      };
      const signing = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' });
      const accessToken = await signing.sign(Buffer.from(key));
      return { baseUrl, accessToken, expiresAt: new Date(exp * 1000).toISOString() };
    },
  };
}
