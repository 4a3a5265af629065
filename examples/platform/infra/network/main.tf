# terraform_data stands for what a provider would make, so that this runs without an account of any cloud.
terraform {
  backend "local" {}
}

variable "cidr" {
  type = string
}

resource "terraform_data" "network" {
  input            = var.cidr
  triggers_replace = var.cidr
}

output "id" {
  value = "net-${terraform_data.network.id}"
}
