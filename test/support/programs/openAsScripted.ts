import { answerAsScripted, type ScriptedPhone } from '../../../apps/phone/scripted.ts';
import { type PhoneRequest, returnTo } from '../../../apps/phone/session.ts';

/** Result of opening a link. */
export interface OpenedLink {
  readonly request: PhoneRequest;
  /** End result; null: left to time out. */
  readonly endResult: string | null;
  /** Callback URL with its proof; null: none. */
  readonly returnTo: string | null;
}

/**
 * Opens a link of any form and answers with the scripted behaviour. @throws LinkError, ServiceError
 */
export async function openAsScripted(scripted: ScriptedPhone, link: string): Promise<OpenedLink> {
  const request = await scripted.phone.open(link);
  const endResult = await answerAsScripted(scripted, request);
  return { request, endResult, returnTo: endResult === null ? null : returnTo(request) };
}
