"""Validates every signature of PDFs with pyHanko: `validate.py root.pem file.pdf …`; prints one JSON line a signature.

Long term (PAdES-LT): revocation data of every certificate is required, and nothing is fetched, so that what the document
security store of the file brings must be enough.
"""
import json
import sys

from pyhanko.keys import load_cert_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import DocumentSecurityStore, validate_pdf_signature

root = load_cert_from_pemder(sys.argv[1])

for path in sys.argv[2:]:
    with open(path, "rb") as file:
        reader = PdfFileReader(file)
        store = DocumentSecurityStore.read_dss(reader)
        for signature in reader.embedded_signatures:
            context = lambda: store.as_validation_context(
                {
                    "trust_roots": [root],
                    "allow_fetching": False,
                    "revocation_mode": "require",
                }
            )
            status = validate_pdf_signature(
                signature,
                signer_validation_context=context(),
                ts_validation_context=context(),
            )
            timestamp = status.timestamp_validity
            print(
                json.dumps(
                    {
                        "path": path,
                        "field": signature.field_name,
                        "subfilter": signature.sig_object["/SubFilter"],
                        "bottomLine": status.bottom_line,
                        "trusted": status.trusted,
                        "timestamped": bool(
                            timestamp and timestamp.valid and timestamp.trusted
                        ),
                        "coverage": status.coverage.name,
                        "modification": status.modification_level.name,
                    }
                )
            )
