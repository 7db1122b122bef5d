import encodeQR from 'qr';
import { useMemo } from 'react';

/** QR code as a vector path, dark on white in every theme, as scanners need it. */
export function Qr({
  text,
  label,
  className,
}: {
  readonly text: string;
  readonly label: string;
  readonly className?: string | undefined;
}) {
  const { path, size } = useMemo(() => {
    const modules = encodeQR(text, 'raw', { ecc: 'medium', border: 1 });
    const steps = modules.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
    );
    return { path: steps.join(''), size: modules.length };
  }, [text]);
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      className={className}
      shapeRendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}
