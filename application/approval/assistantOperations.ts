import type { ApprovalEffect } from '../../domain/approval/events.ts';
import { articleDecider } from '../../domain/assistant/article.ts';
import { expectVersion } from '../../domain/assistant/edition.ts';
import type { ArticleText } from '../../domain/assistant/events.ts';
import { defaultPrompts } from '../../domain/assistant/prompt.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import { type ArticleEdit, createArticles, editArticle } from '../assistant/articles.ts';
import { changePrompt, createPrompts } from '../assistant/prompts.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { CommandOf, SensitiveOperation } from './operations.ts';

export interface AssistantOperationsDependencies {
  readonly eventStore: EventStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly progress: ProjectionProgress;
}

/** Changing what the assistant is told and what it knows. */
export function assistantOperations(dependencies: AssistantOperationsDependencies): {
  readonly 'assistant.changePrompt': SensitiveOperation<'assistant.changePrompt'>;
  readonly 'assistant.changeKnowledge': SensitiveOperation<'assistant.changeKnowledge'>;
} {
  const promptsOver = (eventStore: EventStore) => createPrompts({ ...dependencies, eventStore });
  const articlesOver = (eventStore: EventStore) => createArticles({ ...dependencies, eventStore });
  const { clock } = dependencies;

  return {
    'assistant.changePrompt': {
      async plan({ prompt, content, expected }) {
        const { state, revision } = await promptsOver(dependencies.eventStore).load(prompt);
        const before = state.content ?? defaultPrompts[prompt];
        if (before !== content) expectVersion(expected, state.version);
        return {
          subject: prompt,
          civilId: null,
          effects: effectsOf([{ target: `prompt ${prompt}`, before, after: content }]),
          targets: [{ stream: streamOf('assistantPrompt', prompt), revision }],
        };
      },
      async execute({ prompt, content, expected }, context, eventStore) {
        const prompts = promptsOver(eventStore);
        const edit = { prompt, content, expected };
        await changePrompt({ ...dependencies, prompts }, edit, context);
        return null;
      },
    },

    'assistant.changeKnowledge': {
      async plan(command) {
        const { articleId } = command;
        const { state, revision } = await articlesOver(dependencies.eventStore).load(articleId);
        const now = clock.now().toISOString();
        // Refused now what would be refused once it is approved.
        articleDecider.decide({ ...editOf(command), articleId, now }, state);
        const before = state.status === 'ACTIVE' ? state.text : null;
        return {
          subject: articleId,
          civilId: null,
          effects: articleEffects(before, command.change === 'REMOVE' ? null : command),
          targets: [{ stream: streamOf('knowledgeArticle', articleId), revision }],
        };
      },
      async execute(command, context, eventStore) {
        const articles = articlesOver(eventStore);
        await editArticle(
          { ...dependencies, articles },
          command.articleId,
          editOf(command),
          context,
        );
        return null;
      },
    },
  };
}

function editOf(command: CommandOf<'assistant.changeKnowledge'>): ArticleEdit {
  const { expected } = command;
  if (command.change === 'REMOVE') return { type: 'RemoveArticle', expected };
  const { title, content, tags, language, source } = command;
  const text = { title, content, tags, language, source };
  return command.change === 'ADD'
    ? { type: 'AddArticle', text }
    : { type: 'ChangeArticle', text, expected };
}

function articleEffects(
  before: ArticleText | null,
  after: ArticleText | null,
): readonly ApprovalEffect[] {
  const name = after?.title ?? before?.title ?? '';
  const of = (text: ArticleText | null, field: keyof ArticleText) => String(text?.[field] ?? '');
  const [contentBefore, contentAfter] = differing(of(before, 'content'), of(after, 'content'));
  return effectsOf([
    { target: `article ${name}`, before: stateOf(before), after: stateOf(after) },
    ...(['title', 'tags', 'language', 'source'] as const).map((field) => ({
      target: `${field} of ${name}`,
      before: of(before, field),
      after: of(after, field),
    })),
    { target: `content of ${name}`, before: contentBefore, after: contentAfter },
  ]);
}

function stateOf(text: ArticleText | null): string {
  return text === null ? 'none' : 'in the knowledge base';
}

function effectsOf(effects: readonly ApprovalEffect[]): readonly ApprovalEffect[] {
  return effects.filter(({ before, after }) => before !== after);
}

/** Difference of two texts: from the first to the last paragraph that differs. */
function differing(one: string, other: string): readonly [string, string] {
  const before = one.split('\n\n');
  const after = other.split('\n\n');
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const within = (parts: readonly string[]) => parts.slice(start, parts.length - end).join('\n\n');
  return [within(before), within(after)];
}
