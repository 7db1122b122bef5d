import type { ReactNode } from 'react';
import logo from '../../../pages/icon.svg';

// Icons on a grid of 24, in the colour of the text.

const drawings = {
  home: <path d="M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z" />,
  scan: (
    <path d="M4 8V5a1 1 0 0 1 1-1h3M16 4h3a1 1 0 0 1 1 1v3M20 16v3a1 1 0 0 1-1 1h-3M8 20H5a1 1 0 0 1-1-1v-3M4 12h16" />
  ),
  history: <path d="M12 7v5l3 2M4.5 9A8 8 0 1 1 4 12M4 5v4h4" />,
  account: <path d="M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20a7.5 7.5 0 0 1 15 0" />,
  back: <path d="M15 5l-7 7 7 7" />,
  close: <path d="M6 6l12 12M18 6 6 18" />,
  erase: <path d="M9 6h10a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H9l-6-6zM12 10l4 4M16 10l-4 4" />,
  check: <path d="M5 12.5 10 17.5 19.5 7" />,
  cross: <path d="M7 7l10 10M17 7 7 17" />,
  clock: <path d="M12 7v5l3.5 2M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16Z" />,
  shield: <path d="M12 3.5 5 6v5.5c0 4.3 2.9 7.6 7 9 4.1-1.4 7-4.7 7-9V6zM9 12l2.2 2.2L15.2 10" />,
  pen: <path d="M4 20h4L19 9l-4-4L4 16zM13.5 6.5l4 4" />,
  login: <path d="M10 4h8a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1h-8M4 12h10M11 8.5 14.5 12 11 15.5" />,
  certificate: (
    <path d="M5 4h14v9a1 1 0 0 1-1 1h-4M5 4v15h5M8 8h8M8 11h4M14 21v-4.5M14 17a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z" />
  ),
  building: <path d="M5 20V5h9v15M14 10h5v10M3 20h18M8 8h3M8 12h3M8 16h3" />,
  file: <path d="M7 3h7l4 4v14H7zM14 3v4h4" />,
  link: (
    <path d="M9 15l6-6M8 12l-2.5 2.5a3.5 3.5 0 0 0 5 5L13 17M16 12l2.5-2.5a3.5 3.5 0 0 0-5-5L11 7" />
  ),
  picture: <path d="M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 5M15.5 9.5h.01" />,
  camera: <path d="M4 7h3l2-2.5h6L17 7h3v12H4zM12 16a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Z" />,
  warning: <path d="M12 4 2.5 20h19zM12 10v4.5M12 17.2v.1" />,
} as const satisfies Readonly<Record<string, ReactNode>>;

export type IconName = keyof typeof drawings;

/** An icon, decorative beside a text of the same meaning. */
export function Icon({ name, size = 24 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {drawings[name]}
    </svg>
  );
}

/** Logo of the service. */
export function Mark({ size = 32 }: { readonly size?: number }) {
  return <img className="mark" src={logo} width={size} height={size} alt="" />;
}
