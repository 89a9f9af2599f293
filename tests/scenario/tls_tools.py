"""Certificates of tests, made by openssl."""
import subprocess

NAMES = "DNS:localhost,IP:127.0.0.1,IP:::1"


def openssl(*words, cwd):
    subprocess.run(["openssl", *map(str, words)], cwd=cwd, check=True, capture_output=True)


def make_certificate(folder, name, names=NAMES, days=2, signer=None):
    """Makes NAME.pem and NAME.key, self-signed or signed by another such pair."""
    (folder / f"{name}.ext").write_text(f"subjectAltName={names}\n" if names else
                                        "basicConstraints=critical,CA:TRUE\n")
    openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}", cwd=folder)
    by = (["-CA", f"{signer}.pem", "-CAkey", f"{signer}.key", "-set_serial", "7"] if signer
          else ["-signkey", f"{name}.key"])
    openssl("x509", "-req", "-in", f"{name}.csr", "-days", days, "-extfile", f"{name}.ext", *by,
            "-out", f"{name}.pem", cwd=folder)
    return folder / f"{name}.pem", folder / f"{name}.key"
