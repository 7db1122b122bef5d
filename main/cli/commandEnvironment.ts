/** Environment of a command: in the development profile unless it names a database or a profile. */
export function commandEnvironment(overrides: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { SVC_DATABASE_URL: url, SVC_DATABASE_URL_FILE: urlFile } = process.env;
  const isOwnDatabase = (url ?? '') === '' && (urlFile ?? '') === '';
  const profile = isOwnDatabase ? { SVC_PROFILE: 'development' } : {};
  return { ...profile, ...process.env, ...overrides };
}
