import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  accessTokenFormats,
  type AccessTokenFormat,
  apiSettings,
  type ApiSettings,
} from '../../domain/oidcClient/apis.ts';
import { partOf } from '../../domain/shared/settings.ts';

interface ApiOptions {
  readonly audience?: string;
  readonly apiScopes?: string;
  readonly accessTokenFormat: AccessTokenFormat;
  readonly accessTokenSeconds?: string;
  readonly api: readonly string[];
  readonly exchanges?: string;
}

const requests = partOf(apiSettings, 'request');

/** Adds the options of a client that is an API, or asks for one. */
export function withApiOptions(command: Command): Command {
  return command
    .option('--api <clientId...>', 'APIs that it may ask for', [])
    .option('--audience <uri>', 'makes the client an API with this audience; needs --api-scopes')
    .option(
      '--api-scopes <file>',
      'scopes of the API: a JSON array of { name, description, descriptionMn }',
    )
    .option(
      '--access-token-format <format>',
      `of the API: ${accessTokenFormats.join(' or ')}`,
      'jwt' satisfies AccessTokenFormat,
    )
    .option(
      '--exchanges <file>',
      'scopes that the API exchanges to act at other APIs: a JSON array of { api, from, to }',
    )
    .option('--access-token-seconds <seconds>', 'lifetime of access tokens for the API');
}

/** The settings that these options say. @throws Error, ZodError: an option of another form */
export async function readApiOptions(options: object): Promise<ApiSettings> {
  const { audience, apiScopes, accessTokenFormat, accessTokenSeconds, api, exchanges } =
    options as ApiOptions;
  return {
    audience: audience ?? null,
    apiScopes: requests.apiScopes.parse(await readList(apiScopes)),
    accessTokenFormat: requests.accessTokenFormat.parse(accessTokenFormat),
    accessTokenSeconds: accessTokenSeconds === undefined ? null : Number(accessTokenSeconds),
    apis: requests.apis.parse(api),
    exchanges: requests.exchanges.parse(await readList(exchanges)),
  };
}

async function readList(file: string | undefined): Promise<unknown> {
  return file === undefined ? [] : JSON.parse(await readFile(file, 'utf8'));
}
