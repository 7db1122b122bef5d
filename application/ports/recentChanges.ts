/** Kinds of reference data whose end must count before a read model shows it. */
export type FollowedKind = 'rp' | 'certificate' | 'device';

/** Read models that say who has which right: one without an event would answer good of what ended. */
export const readModelsOfRights: readonly string[] = [
  ...['relyingParties', 'certificates', 'devices'],
  ...['organizations', 'representations', 'oidcClients', 'consents'],
];

/** Facts of the log that read models may not show yet, followed by this process itself. */
export interface RecentChanges {
  /** True while the log knows more of it than its read model: it must be read from the log. */
  has(kind: FollowedKind, id: string): boolean;
  /** The relying party that recently got the secret of this SHA-256. */
  relyingPartyOf(secretHash: string): string | undefined;
}
