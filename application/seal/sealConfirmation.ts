import type { SessionStarted } from '../../domain/session/events.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import {
  type AdminConfirmationDependencies,
  type AdminQuestion,
  askForConfirmation,
  expectConfirmation,
} from '../organization/adminConfirmation.ts';
import type { Organizations } from '../organization/organizations.ts';
import type { RelyingPartyData } from '../ports/referenceData.ts';
import { certifiedName, type SealIdentity } from './sealPreconditions.ts';

export interface SealConfirmationDependencies extends AdminConfirmationDependencies {
  readonly organizations: Pick<Organizations, 'load'>;
  /** @param confirmedIn session in which an ADMIN confirmed */
  readonly issue: (
    register: string,
    context: CommandContext,
    confirmedIn: string,
  ) => Promise<SealIdentity>;
}

/** A seal certificate a relying party asks for. */
export interface SealCertificateWish {
  readonly relyingParty: RelyingPartyData;
  readonly register: string;
  /** Session in which an ADMIN confirmed; null: an ADMIN is yet to be asked. */
  readonly sessionId: string | null;
}

/** ASKED: an ADMIN of the organization decides in that session of the relying party. */
export type SealCertificateReply =
  | { readonly kind: 'ISSUED'; readonly identity: SealIdentity }
  | { readonly kind: 'ASKED'; readonly session: SessionStarted['data'] };

/**
 * Issues a seal certificate for a relying party, once an ADMIN of the organization has confirmed by push.
 *
 * @throws Refusal ORG_NOT_FOUND, ORG_NOT_ACTIVE; CONFLICT without an ADMIN who can be asked, or when the ADMIN refused,
 * has lost the right or confirmed long ago; SESSION_NOT_FOUND, SESSION_NOT_COMPLETE
 */
export type RequestSealCertificate = (
  wish: SealCertificateWish,
  contextOf: (correlationId: string) => CommandContext,
) => Promise<SealCertificateReply>;

export function createSealConfirmation(
  dependencies: SealConfirmationDependencies,
): RequestSealCertificate {
  /** The certificate's name is signed: a confirmation does not hold for another. */
  async function questionOf({
    relyingParty,
    register,
  }: SealCertificateWish): Promise<AdminQuestion> {
    const { state } = await dependencies.organizations.load(register);
    if (state.status === 'NONE') throw new Refusal('ORG_NOT_FOUND');
    if (state.status !== 'ACTIVE') throw new Refusal('ORG_NOT_ACTIVE');
    const { name } = state;
    const certified = certifiedName(state);
    return {
      relyingParty,
      register,
      preferred: null,
      facts: ['SEAL CERTIFICATE', certified],
      shown: (text) =>
        certified === name
          ? text`Тамганы гэрчилгээ олгох: ${name}`
          : text`Тамганы гэрчилгээ «${certified}»: ${name}`,
    };
  }

  return async (wish, contextOf) => {
    const { register, sessionId } = wish;
    const question = await questionOf(wish);
    if (sessionId === null) {
      const session = await askForConfirmation(dependencies, question, contextOf);
      return { kind: 'ASKED', session };
    }
    await expectConfirmation(dependencies, question, sessionId);
    const identity = await dependencies.issue(register, contextOf(sessionId), sessionId);
    return { kind: 'ISSUED', identity };
  };
}
