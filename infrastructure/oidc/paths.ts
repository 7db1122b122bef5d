/** Root path of the provider's endpoints. */
export const endpointRoot = '/oidc';

/** Paths served by the provider. */
export const enginePaths = [
  endpointRoot,
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
] as const;
