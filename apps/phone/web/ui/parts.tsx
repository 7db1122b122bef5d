import { type ReactNode, useEffect, useRef } from 'react';
import { LinkError } from '../../deviceLink.ts';
import { ServiceError } from '../../service.ts';
import type { PinName } from '../../session.ts';
import { PinError } from '../../pinKeys.ts';
import { Icon, type IconName } from './icons.tsx';
import { isTextKey, type Say } from './texts.ts';

/** A heading that receives focus when its screen appears, so that it is read out. */
export function Heading({ children }: { readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** An error, announced at once by screen readers. */
export function Problem({ children }: { readonly children: ReactNode }) {
  return (
    <p className="problem" role="alert">
      <Icon name="warning" size={20} />
      <span>{children}</span>
    </p>
  );
}

/** A fact with an icon. */
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

/** Text of an error for the citizen. */
export function messageOf(error: unknown, say: Say): string {
  if (error instanceof LinkError) return say('badLink');
  const code = error instanceof ServiceError ? error.code : 'UNEXPECTED';
  if (code === 'DEVICE_PROOF_INVALID') return say('notKnown');
  const key = `error_${code}`;
  return isTextKey(key) ? say(key) : say('error_other');
}

/** Kind of a phone in words. */
export function nameOfPlatform(platform: string, say: Say): string {
  const key = `platform_${platform}`;
  return isTextKey(key) ? say(key) : platform;
}

/** Text of an error of an entered PIN for the citizen. */
export function pinMessageOf(error: unknown, pin: PinName, say: Say): string {
  if (!(error instanceof PinError)) return messageOf(error, say);
  const { attemptsLeft: left, restsUntil } = error;
  if (left > 0) return say('wrongPin', { left });
  return restsUntil === null
    ? say('pinLocked', { pin: say(pin) })
    : say('pinLockedForNow', { pin: say(pin) });
}

/** Trimmed value of a form's field. */
export function fieldOf(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value.trim() : '';
}
