/** Stream names: category, a hyphen, the aggregate's identifier. The category is what subscriptions filter on. */
export const streamCategories = [
  'session',
  'citizen',
  'identityVerification',
  'device',
  'certificate',
  'relyingParty',
  'stamp',
  'seal',
  'sealCertificate',
  'organization',
  'representation',
  'approval',
  // Facts that guard nothing, one stream a day.
  'access',
  // All operators together; the codes each has used; attempts to sign in, one stream a day.
  'operators',
  'secondFactor',
  'operatorAccess',
  'assistantPrompt',
  'knowledgeArticle',
  'oidcClient',
  'consent',
  // Logins through OpenID Connect, one stream a day.
  'oidcAccess',
  'document',
  'documentPolicy',
] as const;

export type StreamCategory = (typeof streamCategories)[number];

/** The stream of one aggregate, for example `session-6f9619ff-…`. */
export function streamOf(category: StreamCategory, id: string): string {
  return `${category}-${id}`;
}

/** The category a stream name begins with. */
export function categoryOf(stream: string): string {
  const hyphen = stream.indexOf('-');
  return hyphen < 0 ? stream : stream.slice(0, hyphen);
}

/** The aggregate's identifier in a stream name. */
export function identifierOf(stream: string): string {
  return stream.slice(stream.indexOf('-') + 1);
}
