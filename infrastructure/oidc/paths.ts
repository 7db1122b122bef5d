/** Root path of the provider's endpoints. */
export const endpointRoot = '/oidc';

/** Path where citizens type the code of a device (RFC 8628 §3.3), short enough to be typed as well. */
export const devicePath = '/device';

/** Paths served by the provider. */
export const enginePaths = [
  endpointRoot,
  devicePath,
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
] as const;
