/**
 * Settings that maintenance commands use: the database, the log, the archive, files, keys, and what they write into
 * certificates. All others are a server's; a fault in one of those must not keep an operator from revoking a certificate.
 */
const usedByCommands = [
  /^SVC_(?:PROFILE|DATA_DIR|LOG_LEVEL|SW_MASTER_KEY(?:_PREVIOUS)?|SESSION_RETENTION|MAX_STALENESS|APPEND_QUEUE|START_WAIT|ROOT_KEY_ONLINE)$/,
  /^SVC_(?:DATABASE|EVENTSTORE|REDIS|ARCHIVE|BACKUP|FILE_STORE|PKCS11|HSMPROXY|SEAL|PKI|OIDC|PUSH_GATEWAY)_/,
  /^SVC_(?:RP_API_BASE|BASE_URL|VERIFY_BASE|CERTIFICATE_YEARS|CRL_HOURS|ADMIN_PASSWORD_COST|SESSION_WINDOW)$/,
] as const;

/** @param name of a setting, without `_FILE` */
export function isUsedByCommands(name: string): boolean {
  return usedByCommands.some((pattern) => pattern.test(name));
}

/** Settings without which no maintenance command can read the log. */
export const neededByCommands = ['SVC_DATABASE_URL', 'SVC_SW_MASTER_KEY'] as const;
