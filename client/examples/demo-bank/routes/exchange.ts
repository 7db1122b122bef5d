import type { Request, Response } from 'express';
import type { EidClient } from '@tamga/client';
import { type View, viewOf } from '../pages/view.ts';
import type { BankSettings } from '../settings.ts';
import type { Excerpt } from '../sources.ts';
import type { Visitor, Visitors } from '../visitors.ts';

/** What every route works with. */
export interface Bank {
  readonly client: EidClient;
  readonly settings: BankSettings;
  readonly visitors: Visitors;
  readonly excerpts: ReadonlyMap<string, Excerpt>;
}

/** The visitor a request came from: the first middleware found out. */
export function visitorOf(response: Response): Visitor {
  return response.locals['visitor'] as Visitor;
}

export function viewFor(bank: Bank, response: Response): View {
  return viewOf(bank, visitorOf(response));
}

/** A field of a form, without blanks around it; empty when it was not sent. */
export function field(request: Request, name: string): string {
  const value = (request.body as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value.trim() : '';
}
