{{- define "profllm.dashboard" -}}
{{- printf "%s-dashboard" .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{- define "profllm.run" -}}
{{- printf "%s-run-%d" (.Release.Name | trunc 40 | trimSuffix "-") (int .Release.Revision) -}}
{{- end }}

{{/* Labels that select the pods of the dashboard. */}}
{{- define "profllm.dashboardSelector" -}}
app.kubernetes.io/name: profllm-dashboard
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "profllm.dashboardLabels" -}}
{{ include "profllm.dashboardSelector" . }}
{{ include "profllm.chartLabels" . }}
{{- end }}

{{- define "profllm.runSelector" -}}
app.kubernetes.io/name: profllm
app.kubernetes.io/component: run
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "profllm.runLabels" -}}
{{ include "profllm.runSelector" . }}
{{ include "profllm.chartLabels" . }}
{{- end }}

{{- define "profllm.chartLabels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* The claim of the dashboard's files. */}}
{{- define "profllm.claim" -}}
{{- .Values.persistence.existingClaim | default (include "profllm.dashboard" .) -}}
{{- end }}

{{/* Refuses values that do not fit together. */}}
{{- define "profllm.check" -}}
{{- if and (not .Values.database.url) (gt (int .Values.dashboard.replicas) 1) -}}
{{- fail (printf "dashboard.replicas: found %d, expected 1 with SQLite; set database.url" (int .Values.dashboard.replicas)) -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- fail "ingress.host: found nothing, expected the name of the host" -}}
{{- end -}}
{{- end }}
