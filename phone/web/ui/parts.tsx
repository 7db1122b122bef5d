import { type ReactNode, useEffect, useRef } from 'react';
import { LinkError } from '../../deviceLink.ts';
import { ServiceError } from '../../service.ts';
import { Icon, type IconName } from './icons.tsx';
import { isTextKey, type Say } from './texts.ts';

/** A heading that is read out when its screen appears. */
export function Heading({ children }: { readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** What went wrong, read out at once. */
export function Problem({ children }: { readonly children: ReactNode }) {
  return (
    <p className="problem" role="alert">
      <Icon name="warning" size={20} />
      <span>{children}</span>
    </p>
  );
}

/** A line of facts with a picture. */
export function Fact({
  icon,
  label,
  children,
}: {
  readonly icon: IconName;
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="fact">
      <Icon name={icon} size={20} />
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What went wrong, in the citizen's words. */
export function messageOf(error: unknown, say: Say): string {
  if (error instanceof LinkError) return say('badLink');
  const code = error instanceof ServiceError ? error.code : 'UNEXPECTED';
  const key = `error_${code}`;
  return isTextKey(key) ? say(key) : say('error_other', { code });
}

/** What was typed into a field of a form, without spaces around it. */
export function fieldOf(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value.trim() : '';
}
