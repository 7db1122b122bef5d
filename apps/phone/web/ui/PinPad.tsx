import { type ReactNode, useEffect, useState } from 'react';
import { Icon } from './icons.tsx';
import { useTexts } from './preferences.tsx';

const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0'] as const;

/** Entry of a PIN by touch or keyboard; the last digit submits. */
export function PinPad({
  length,
  disabled = false,
  corner,
  onPin,
}: {
  readonly length: number;
  readonly disabled?: boolean;
  /** Content of the corner beside the zero. */
  readonly corner?: ReactNode;
  readonly onPin: (pin: string) => void;
}) {
  const say = useTexts();
  const [pin, setPin] = useState('');

  const press = (digit: string) => {
    if (disabled || pin.length >= length) return;
    const longer = pin + digit;
    // Shows the last dot before the pad is cleared for another attempt.
    setPin(longer.length === length ? '' : longer);
    if (longer.length === length) onPin(longer);
  };
  const erase = () => setPin(pin.slice(0, -1));

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (/^\d$/.test(event.key)) press(event.key);
      else if (event.key === 'Backspace') erase();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });

  return (
    <div className="pin">
      <p className="dots" role="status">
        <span className="unseen">{say('digitsEntered', { count: pin.length, length })}</span>
        {Array.from({ length }, (_, index) => (
          <i key={index} className={index < pin.length || disabled ? 'on' : ''} />
        ))}
      </p>
      <div className="keys" role="group" aria-label={say('keypad')}>
        {DIGITS.map((digit) => (
          <button
            key={digit}
            type="button"
            className={digit === '0' ? 'zero' : undefined}
            disabled={disabled}
            onClick={() => press(digit)}
          >
            {digit}
          </button>
        ))}
        {corner}
        <button
          type="button"
          className="erase"
          aria-label={say('erase')}
          disabled={disabled || pin === ''}
          onClick={erase}
        >
          <Icon name="erase" />
        </button>
      </div>
    </div>
  );
}
