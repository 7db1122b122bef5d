/** Kinds of reference data whose end takes effect before a read model shows it. */
export type FollowedKind = 'rp' | 'certificate' | 'device';

/** Read models that hold rights: one that misses an event would confirm a right that has ended. */
export const readModelsOfRights: readonly string[] = [
  ...['relyingParties', 'certificates', 'devices'],
  ...['organizations', 'representations', 'oidcClients', 'consents'],
];

/** Facts of the log that read models may not show yet, followed by this process itself. */
export interface RecentChanges {
  /** True while the log has changes that the read model does not show: the subject must be read from the log. */
  has(kind: FollowedKind, id: string): boolean;
  /** The relying party that recently got the secret of this SHA-256. */
  relyingPartyOf(secretHash: string): string | undefined;
}
